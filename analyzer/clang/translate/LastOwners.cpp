#include "analyzer/clang/translate/LastOwners.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool takes(const BinaryOperator &Sum) {
  const APInt *By = nullptr;
  return match(&Sum, m_Sub(m_Value(), m_StrictlyPositive())) ||
         (match(&Sum, m_Add(m_Value(), m_APInt(By))) && By->isNegative());
}

/// Is it stored where the number was found?
bool isStoredBack(const BinaryOperator &Sum) {
  auto *Found = dyn_cast<LoadInst>(Sum.getOperand(0));
  return Found && any_of(Sum.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return Store && Store->getValueOperand() == &Sum &&
                  Store->getPointerOperand() == Found->getPointerOperand();
         });
}

/// A number in memory that is taken from there, before or behind that.
bool isCountedDown(const Value *V, unsigned Depth = 0) {
  if (Depth > 4)
    return false;
  if (auto *Phi = dyn_cast<PHINode>(V))
    return all_of(Phi->incoming_values(), [&](const Value *In) { return isCountedDown(In, Depth + 1); });
  if (auto *Modify = dyn_cast<AtomicRMWInst>(V)) {
    auto *By = dyn_cast<ConstantInt>(Modify->getValOperand());
    return By && (Modify->getOperation() == AtomicRMWInst::Sub
                      ? By->getValue().isStrictlyPositive()
                      : Modify->getOperation() == AtomicRMWInst::Add && By->isNegative());
  }
  if (auto *Sum = dyn_cast<BinaryOperator>(V))
    return takes(*Sum) && (isStoredBack(*Sum) || isCountedDown(Sum->getOperand(0), Depth + 1));
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && any_of(Load->getPointerOperand()->users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           auto *Sum = Store ? dyn_cast<BinaryOperator>(Store->getValueOperand()) : nullptr;
           return Sum && Store->getParent() == Load->getParent() && takes(*Sum) && isStoredBack(*Sum);
         });
}

} // namespace

std::vector<Edge> lastOwners(const Function &F, const DominatorTree &Tree,
                             function_ref<bool(const CallBase &)> Frees) {
  std::vector<Edge> Found;
  std::vector<const BasicBlock *> Ends;
  for (const BasicBlock &Block : F)
    if (any_of(Block, [&](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && Frees(*Call);
        }))
      Ends.push_back(&Block);
  if (Ends.empty())
    return Found;
  for (const BasicBlock &Block : F)
    if (std::optional<TestedNumber> Tested = testedNumberAtEnd(Block);
        Tested && isCountedDown(Tested->What)) {
      const BasicBlock *Next = Block.getTerminator()->getSuccessor(Tested->OnEqual);
      if (Next->getSinglePredecessor() &&
          any_of(Ends, [&](const BasicBlock *End) { return Tree.dominates(Next, End); }))
        Found.push_back({&Block, Tested->OnEqual});
    }
  return Found;
}

} // namespace rdma::clang_ir
