#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/prepare/KnownRanges.h"
#include "analyzer/clang/translate/KeptResults.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What is computed of a result, and what that would be if the result were zero.
class Result {
public:
  explicit Result(const CallBase &Call) : Call(Call) {
    for (const Value *V : keptResults(Call))
      Kept.insert(V), Computed.insert(V), Work.push_back(V);
    while (!Work.empty())
      for (const User *U : Work.pop_back_val()->users())
        if (isa<CastInst, BinaryOperator, ICmpInst, SelectInst, PHINode, FreezeInst>(U) &&
            Computed.insert(U).second)
          Work.push_back(U);
  }

  /// Is it possible that the call has failed where the block goes on to the successor?
  bool mayHaveFailed(const BasicBlock &Block, unsigned Successor) const {
    const Instruction *End = Block.getTerminator();
    if (auto *Branch = dyn_cast<BranchInst>(End))
      return Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
             mayHaveFailed(Branch->getCondition(), Successor == 0);
    auto *Switch = dyn_cast<SwitchInst>(End);
    if (!Switch || !Computed.contains(Switch->getCondition()))
      return false;
    auto *Number = dyn_cast_or_null<ConstantInt>(ifZero(Switch->getCondition()));
    return !Number || Switch->findCaseValue(Number)->getSuccessorIndex() != Successor;
  }

private:
  bool mayHaveFailed(const Value *Condition, bool Outcome) const {
    using namespace PatternMatch;
    const Value *A = nullptr, *B = nullptr;
    if (match(Condition, m_LogicalAnd(m_Value(A), m_Value(B))) ||
        match(Condition, m_LogicalOr(m_Value(A), m_Value(B))))
      return mayHaveFailed(A, Outcome) || mayHaveFailed(B, Outcome);
    if (match(Condition, m_Not(m_Value(A))))
      return mayHaveFailed(A, !Outcome);
    if (!Computed.contains(Condition))
      return false;
    const Constant *Holds = ifZero(Condition);
    return !Holds || Holds->isNullValue() == Outcome;
  }

  /// Null: that is not known.
  const Constant *ifZero(const Value *V, unsigned Depth = 0) const {
    constexpr unsigned MostSteps = 16;
    if (auto *Number = dyn_cast<Constant>(V))
      return Number;
    if (Kept.contains(V) && !isa<PHINode, SelectInst>(V))
      return Constant::getNullValue(V->getType());
    auto *I = dyn_cast<Instruction>(V);
    if (!I || Depth == MostSteps || !Computed.contains(V))
      return nullptr;
    if (auto *Choice = dyn_cast<PHINode>(I))
      return alike(Choice->incoming_values(), Depth);
    if (auto *Choice = dyn_cast<SelectInst>(I); Choice && !Computed.contains(Choice->getCondition()))
      return alike(drop_begin(Choice->operands()), Depth);
    SmallVector<Constant *, 3> Operands;
    for (const Use &Operand : I->operands()) {
      Operands.push_back(const_cast<Constant *>(ifZero(Operand, Depth + 1)));
      if (!Operands.back())
        return nullptr;
    }
    return ConstantFoldInstOperands(const_cast<Instruction *>(I), Operands,
                                    Call.getModule()->getDataLayout());
  }

  /// Of several values those that come of the result, if they are one.
  template <typename Range> const Constant *alike(const Range &Values, unsigned Depth) const {
    const Constant *All = nullptr;
    for (const Value *V : Values) {
      if (!Computed.contains(V))
        continue;
      const Constant *One = ifZero(V, Depth + 1);
      if (!One || (All && All != One))
        return nullptr;
      All = One;
    }
    return All;
  }

  const CallBase &Call;
  SmallPtrSet<const Value *, 16> Kept, Computed;
  SmallVector<const Value *, 16> Work;
};

} // namespace

SmallVector<std::pair<const BasicBlock *, unsigned>, 4> waysWhereFailed(const CallBase &Call) {
  SmallVector<std::pair<const BasicBlock *, unsigned>, 4> Ways;
  if (Call.use_empty() || !Call.getType()->isIntegerTy())
    return Ways;
  const Result Found(Call);
  for (const BasicBlock &Block : *Call.getFunction())
    for (unsigned I = 0; I < Block.getTerminator()->getNumSuccessors(); ++I)
      if (Found.mayHaveFailed(Block, I))
        Ways.emplace_back(&Block, I);
  return Ways;
}

int successorOnFailedCompletion(const BasicBlock &Block) {
  std::optional<TestedNumber> Tested = testedNumberAtEnd(Block);
  auto *Status = Tested ? dyn_cast<LoadInst>(Tested->What) : nullptr;
  if (!Status || !Tested->With->isZero() || !isCompletionStatus(Status->getPointerOperand()))
    return -1;
  return static_cast<int>(1 - Tested->OnEqual);
}

} // namespace rdma::clang_ir
