// Memory that requests may use: how it is registered, and where that ends.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

enum : std::uint64_t { RemoteWrite = 2, RemoteRead = 4, RemoteAtomic = 8, RelaxedOrdering = 1 << 20 };

bool registers(Api What) { return What == Api::RegMr || What == Api::CmReg; }

} // namespace

void Translator::registerMemory(const CallBase &Call) {
  unsigned FlagsAt = Call.getCalledFunction()->getName().contains("iova") ? 4 : 3;
  const Value *Given = Call.getArgOperand(std::min<unsigned>(FlagsAt, Call.arg_size() - 1));
  auto Flags = Memory.constants(Given);
  std::uint64_t Any = 0;
  for (std::uint64_t F : Flags.value_or(std::vector<std::uint64_t>{RemoteWrite}))
    Any |= F;
  if (Any & RelaxedOrdering)
    remark(Call, words::Relaxed, false);
  else if (!Flags &&
           (computeKnownBits(Given, In.F.getParent()->getDataLayout()).getMaxValue().getZExtValue() &
            RelaxedOrdering) != 0)
    remark(Call, words::MaybeRelaxed, false);
  if (FlagsAt == 4)
    registerUnder(Call);
  for (const Access &A : accesses(Call.getArgOperand(1), Unbounded)) {
    if (Any & (RemoteWrite | RemoteRead | RemoteAtomic))
      Stock.exposeRemotely(A.Target);
    else
      Stock.expose(A.Target);
  }
}

/// ibv_reg_mr_iova: requests name the memory by another address, which must not be that of other memory.
void Translator::registerUnder(const CallBase &Call) {
  PointerSet Memory = Where.resolve(Call.getArgOperand(1));
  for (const Pointer &P : Where.resolve(Call.getArgOperand(3))) {
    bool Same = any_of(Memory, [&](const Pointer &Q) { return P.Base == Q.Base; });
    if (!Same && P.Base->What != Origin::Kind::Null && P.Base->What != Origin::Kind::Number)
      return remark(Call, words::OtherAddress, false);
  }
}

void Translator::registerMessages(const CallBase &Call) {
  bool Remote = !Call.getCalledFunction()->getName().ends_with("msgs");
  for (const Access &A : accesses(Call.getArgOperand(1), Unbounded))
    Remote ? Stock.exposeRemotely(A.Target) : Stock.expose(A.Target);
}

/// May the call end a queue pair, or stop it? Then nothing that was posted on it is under way any more.
bool Translator::mayEndQueuePairs(const CallBase &Call) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm())
    return false;
  if (const ApiRow *Row = meaning(Call)) {
    for (std::string_view Name : {"ibv_destroy_qp", "ibv_modify_qp", "ibv_close_device", "rdma_destroy_qp",
                                  "rdma_destroy_id", "rdma_destroy_ep", "rdma_disconnect"})
      if (Name == Row->Name)
        return true;
    return false;
  }
  const Function *Callee = calledFunction(Call);
  return !Callee || declarerOf(*Callee) != Declarer::Standard;
}

/// Does a way lead from a request to the call on which its queue pair may have ended? Which one is not asked.
bool Translator::behindEnd(const CallBase &Call) {
  std::vector<const CallBase *> Posting, Ending;
  for (const Instruction &I : instructions(In.F))
    if (auto *Other = dyn_cast<CallBase>(&I)) {
      const ApiRow *Row = isa<IntrinsicInst>(Other) ? nullptr : meaning(*Other);
      if (Row && posts(Row->What))
        Posting.push_back(Other);
      else if (mayEndQueuePairs(*Other) && isPotentiallyReachable(Other, &Call, nullptr, &Tree, &Loops))
        Ending.push_back(Other);
    }
  return any_of(Ending, [&](const CallBase *End) {
    return any_of(Posting, [&](const CallBase *Post) {
      return isPotentiallyReachable(Post, End, nullptr, &Tree, &Loops);
    });
  });
}

/// Is there one more registration of the block in this thread, by which requests may go on?
bool Translator::registeredAgain(const Origin &Block, const Value *Here) {
  return any_of(instructions(In.F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && Call != Here && !isa<IntrinsicInst>(Call) ? meaning(*Call) : nullptr;
    return Row && registers(Row->What) &&
           any_of(Where.resolve(Call->getArgOperand(1)), [&](const Pointer &P) { return P.Base == &Block; });
  });
}

/// An access of the region by whoever wants it whole: a request that uses it must be complete. Said only
/// where it is certain which region that is, and that requests can still be under way.
void Translator::deregister(const CallBase &Call) {
  PointerSet Handles = Where.resolve(Call.getArgOperand(0));
  if (Handles.size() != 1 || !Handles[0].Base->named())
    return;
  auto *Made = dyn_cast_or_null<CallBase>(Handles[0].Base->Root);
  const ApiRow *Row = Made ? meaning(*Made) : nullptr;
  // In a loop it is of this round where it is handed on, not found in memory.
  bool One = !Handles[0].Base->Many || Call.getArgOperand(0)->stripPointerCasts() == Made;
  if (!Row || !registers(Row->What) || !One)
    return;
  PointerSet Region = Made->getFunction() == &In.F
                          ? Where.resolve(Made->getArgOperand(1))
                          : Where.whatIsFoundAt(moved(Handles[0], layout::MrAddr), true);
  std::erase_if(Region, [](const Pointer &P) { return P.Base->What == Origin::Kind::Null; });
  // Likewise the memory of this round, allocated and handed on.
  auto ofThisRound = [&](const Origin &Block) {
    return !Block.Many || (Block.Root && Made->getArgOperand(1)->stripPointerCasts() == Block.Root);
  };
  if (Region.size() != 1 || !Region[0].Base->named() || !ofThisRound(*Region[0].Base) ||
      registeredAgain(*Region[0].Base, Made) || behindEnd(Call))
    return;
  auto *Length = dyn_cast<ConstantInt>(Made->getArgOperand(2));
  Operation Op;
  Op.Kind = OperationKind::Store;
  Op.Local = access(Region[0], Length ? Length->getSExtValue() : Unbounded);
  Op.Deregisters = true;
  emit(Op, Call);
}

} // namespace rdma::clang_ir
