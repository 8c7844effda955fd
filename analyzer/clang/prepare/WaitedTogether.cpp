#include "analyzer/clang/prepare/WaitedTogether.h"

#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What the call of one queue pair is named; empty for other functions. In C++ the symbols are mangled.
StringRef callOfOne(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  if (!Program || !F.isVarArg())
    return "";
  StringRef One = StringSwitch<StringRef>(Program->getName())
                      .Case("rdma_wait_all", "rdma_wait.each")
                      .Case("rdma_flush_all", "rdma_flush.each")
                      .Default("");
  return !One.empty() && declarerOf(F) == Declarer::Verbs ? One : "";
}

void split(CallBase &Call, FunctionCallee One, std::uint64_t Count) {
  IRBuilder<> Before(&Call);
  Value *Result = nullptr;
  for (std::uint64_t I = 1; I <= Count; ++I) {
    Value *Each = Before.CreateCall(One, {Call.getArgOperand(I)});
    cast<CallInst>(Each)->setDoesNotThrow();
    Result = Result ? Before.CreateOr(Result, Each) : Each;
  }
  Call.replaceAllUsesWith(Result ? Result : Before.getInt32(0));
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call)) {
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    Before.CreateBr(Invoke->getNormalDest());
  }
  Call.eraseFromParent();
}

} // namespace

void waitOneByOne(Module &M) {
  for (Function &F : M) {
    StringRef Name = callOfOne(F);
    if (Name.empty())
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != &F)
        continue;
      auto *Count = dyn_cast<ConstantInt>(Call->getArgOperand(0));
      std::uint64_t Pairs = Count ? std::max<std::int64_t>(Count->getSExtValue(), 0) : Call->arg_size();
      auto IsPair = [](const Use &U) { return U->getType()->isPointerTy(); };
      if (Pairs >= Call->arg_size() || !all_of(drop_begin(Call->args()), IsPair))
        continue;
      Type *Int = Call->getType();
      split(*Call,
            M.getOrInsertFunction(Name, FunctionType::get(Int, {PointerType::get(M.getContext(), 0)}, false)),
            Pairs);
    }
  }
}

} // namespace rdma::clang_ir
