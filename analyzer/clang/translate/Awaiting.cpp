#include "analyzer/clang/translate/Awaiting.h"

#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostSteps = 6;

const Value *withoutCasts(const Value *V) {
  while (isa<CastInst>(V) || isa<FreezeInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

bool comesFrom(const Value *V, const LoadInst &Load, unsigned Depth = 0) {
  if (V == &Load)
    return true;
  auto *I = dyn_cast<Instruction>(V);
  bool Computes = I && (isa<CastInst>(I) || isa<FreezeInst>(I) || isa<BinaryOperator>(I) || isa<CmpInst>(I) ||
                        isa<SelectInst>(I));
  return Computes && Depth < MostSteps &&
         any_of(I->operands(), [&](const Use &U) { return comesFrom(U, Load, Depth + 1); });
}

bool isKnown(const Value *Condition, const LoadInst &Load) {
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  return Compare && Compare->isEquality() && withoutCasts(Compare->getOperand(0)) == &Load &&
         isa<ConstantInt>(Compare->getOperand(1));
}

} // namespace

bool awaitsUnknown(const LoadInst &Load, const LoopInfo &Loops,
                   const std::function<bool(const CallBase &)> &Harmless) {
  const Loop *L = Loops.getLoopFor(Load.getParent());
  if (!L)
    return false;
  for (const BasicBlock *Block : L->blocks())
    for (const Instruction &I : *Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      bool Quiet =
          isa<LoadInst>(I) || isa<FenceInst>(I) || isa<DbgInfoIntrinsic>(I) || (Call && Harmless(*Call));
      if (!Quiet && (Call || I.mayWriteToMemory()))
        return false;
    }
  SmallVector<BasicBlock *, 4> Exiting;
  L->getExitingBlocks(Exiting);
  return any_of(Exiting, [&](const BasicBlock *Block) {
    auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
    return Branch && Branch->isConditional() && comesFrom(Branch->getCondition(), Load) &&
           !isKnown(Branch->getCondition(), Load);
  });
}

} // namespace rdma::clang_ir
