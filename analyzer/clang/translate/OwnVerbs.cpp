// Programs in which calls of verbs do not do what they do elsewhere: posts that <rdma/order.h> knows nothing
// of, and functions of the program in the place of the library's.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr StringRef Recording = "rdma_order_"; // what <rdma/order.h> puts in the place of verbs calls

bool isUsed(const Module &M, StringRef Name) {
  return any_of(M, [&](const Function &F) {
    return (F.getName() == Name || F.getName().starts_with((Name + ".").str())) && !F.use_empty();
  });
}

/// Does it post by what <rdma/order.h> puts there?
bool records(const Function &F, unsigned Depth = 0) {
  constexpr unsigned Deepest = 3; // rdma_post_write, rdma_post_writev, ibv_post_send
  if (F.getName().starts_with(Recording))
    return true;
  return Depth < Deepest && any_of(
                                instructions(F),
                                [&](const Instruction &I) {
                                  auto *Call = dyn_cast<CallBase>(&I);
                                  const Function *Callee = Call ? calledFunction(*Call) : nullptr;
                                  return Callee && records(*Callee, Depth + 1);
                                });
}

bool mayWrite(const ApiRow &Row) {
  return Row.What == Api::PostSend || Row.What == Api::CmPost ||
         (Row.What == Api::WrCall &&
          (Row.Name.starts_with("ibv_wr_rdma_write") || Row.Name.starts_with("ibv_wr_atomic")));
}

/// A function of the library that an object of verbs leads to, or the context that leads to them.
bool leadsToCalls(const Named &Part) {
  const DIType *Target = strip(pointee(Part.Type));
  return Target && (isa<DISubroutineType>(Target) || Target->getName() == "ibv_context");
}

} // namespace

void Translator::notePastOrder(const CallBase &Post, const ApiRow &Row) {
  const Function *Callee = calledFunction(Post);
  if (mayWrite(Row) && isUsed(*In.F.getParent(), "rdma_flush") && !(Callee && records(*Callee)))
    remark(Post, words::PastOrder, false);
}

void Translator::noteReplaced(const Instruction &By, const Value *Place, std::int64_t Size) {
  for (const Pointer &P : Where.resolve(Place)) {
    const DIType *Type = P.Base->named() ? strip(P.Base->Name.Type) : nullptr;
    if (!Type || !Type->getName().starts_with("ibv_"))
      continue;
    constexpr std::int64_t Word = 8;
    bool Calls = Size > Word && Type->getName() == "ibv_context";
    if (Size == Word && P.exact())
      Calls = leadsToCalls(partOf(P.Base->Name, P.Base->Indirect, P.Low, Size));
    if (Calls)
      return remark(By, words::ChangesVerbs, false);
  }
}

} // namespace rdma::clang_ir
