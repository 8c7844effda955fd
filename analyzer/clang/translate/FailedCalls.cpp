#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/prepare/KnownRanges.h"
#include "analyzer/clang/translate/IfResult.h"
#include "analyzer/clang/translate/KeptResults.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The ways that a zero for the result would not have taken.
class Result {
public:
  explicit Result(const CallBase &Call) : If(Call) {}

  /// Is it possible that the call has failed where the block goes on to the successor?
  bool mayHaveFailed(const BasicBlock &Block, unsigned Successor) const {
    const Instruction *End = Block.getTerminator();
    if (auto *Branch = dyn_cast<BranchInst>(End))
      return Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
             mayHaveFailed(Branch->getCondition(), Successor == 0);
    auto *Switch = dyn_cast<SwitchInst>(End);
    if (!Switch || !If.computed().contains(Switch->getCondition()))
      return false;
    auto *Number = dyn_cast_or_null<ConstantInt>(If.value(Switch->getCondition(), 0));
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
    if (!If.computed().contains(Condition))
      return false;
    ICmpInst::Predicate Asked;
    if (match(Condition, m_ICmp(Asked, m_Value(A), m_Zero())) && ICmpInst::isEquality(Asked) && joins(A))
      return (Asked == ICmpInst::ICMP_EQ) != Outcome;
    const Constant *Holds = If.value(Condition, 0);
    return !Holds || Holds->isNullValue() == Outcome;
  }

  /// Of calls whose results are joined, a zero says that none has failed.
  bool joins(const Value *V) const {
    auto *Both = dyn_cast<BinaryOperator>(V);
    return If.isResult(V) || (Both && Both->getOpcode() == Instruction::Or &&
                              any_of(Both->operands(), [&](const Use &Part) { return joins(Part); }));
  }

  IfResult If;
};

/// A comparison, or the case of a switch that is chosen: what the program learns of a result there.
const Value *learned(const IfResult &If, const Value &Test, std::int64_t Result) {
  if (auto *Switch = dyn_cast<SwitchInst>(&Test)) {
    auto *Number = dyn_cast_or_null<ConstantInt>(If.value(Switch->getCondition(), Result));
    return Number ? const_cast<SwitchInst *>(Switch)->findCaseValue(Number)->getCaseSuccessor() : nullptr;
  }
  return If.value(&Test, Result);
}

/// Has a failed poll an outcome there that no completions have?
bool tellsFailure(const IfResult &If, const Value &Test, std::int64_t Most) {
  const Value *Failed = learned(If, Test, -1);
  for (std::int64_t Taken = 1; Failed && Taken <= Most; ++Taken)
    if (const Value *Other = learned(If, Test, Taken); !Other || Other == Failed)
      return false;
  return Failed;
}

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

/// Constant distances from one variable or parameter that differ.
static bool isElsewhere(const StoreInst &Store, const LoadInst &Load) {
  const DataLayout &Layout = Store.getDataLayout();
  auto place = [&](const Value *At) {
    APInt Offset(Layout.getIndexTypeSizeInBits(At->getType()), 0);
    const Value *From = At->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    return std::pair(From, Offset.getSExtValue());
  };
  const auto [To, ToOffset] = place(Store.getPointerOperand());
  const auto [From, FromOffset] = place(Load.getPointerOperand());
  return To == From && !isa<PHINode>(To) && ToOffset != FromOffset;
}

/// The result itself, and the numbers that it is added to.
static SmallPtrSet<const Value *, 16> sumsOf(const CallBase &Poll) {
  SmallPtrSet<const Value *, 16> Sums;
  SmallVector<const Value *, 16> Work;
  auto add = [&](const Value *V) {
    if (Sums.insert(V).second)
      Work.push_back(V);
  };
  add(&Poll);
  while (!Work.empty()) {
    const Value *Sum = Work.pop_back_val();
    for (const User *U : Sum->users()) {
      const unsigned Opcode = Operator::getOpcode(U);
      if (isa<CastInst, PHINode, SelectInst, FreezeInst>(U) || Opcode == Instruction::Add ||
          (Opcode == Instruction::Sub && U->getOperand(0) == Sum))
        add(U);
      else if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == Sum)
        for (const Value *Load : loadsOf(*Store))
          if (!isElsewhere(*Store, cast<LoadInst>(*Load)))
            add(Load);
    }
  }
  return Sums;
}

/// Is the sum held against a limit without a sign? Where nothing has been added yet, a failure makes it a
/// number above all limits.
static bool jumpsPastLimit(const CallBase &Poll, const IfResult &If) {
  return any_of(sumsOf(Poll), [&](const Value *Sum) {
    return any_of(Sum->users(), [&](const User *U) {
      auto *Compare = dyn_cast<ICmpInst>(U);
      const bool HasNoSign =
          Compare && (Compare->isUnsigned() || (isa<ZExtInst>(Sum) && !Compare->isEquality()));
      return HasNoSign && !If.value(Compare, -1);
    });
  });
}

bool tellsFailedPolls(const CallBase &Poll, std::uint64_t Most) {
  constexpr std::uint64_t Enough = 16;
  const IfResult If(Poll);
  const std::int64_t Last = Most ? std::min(Most, Enough) : Enough;
  auto belowZero = [](const ConstantInt *Number) { return Number && Number->isNegative(); };
  auto asksForSign = [&](const CmpInst &Compare) {
    auto *Number = dyn_cast<ConstantInt>(Compare.getOperand(1));
    return Number && Number->isZero() && If.isResult(Compare.getOperand(0)) &&
           (Compare.getPredicate() == CmpInst::ICMP_SLT || Compare.getPredicate() == CmpInst::ICMP_SGE);
  };
  auto tells = [&](const User *U) {
    if (auto *Switch = dyn_cast<SwitchInst>(U))
      return any_of(Switch->cases(), [&](auto Case) { return belowZero(Case.getCaseValue()); }) ||
             tellsFailure(If, *U, Last);
    auto *Compare = dyn_cast<CmpInst>(U);
    return Compare && (asksForSign(*Compare) || belowZero(dyn_cast<ConstantInt>(Compare->getOperand(1))) ||
                       tellsFailure(If, *Compare, Last));
  };
  return any_of(If.computed(), [&](const Value *V) { return any_of(V->users(), tells); }) ||
         jumpsPastLimit(Poll, If);
}

int successorOnFailedCompletion(const BasicBlock &Block) {
  std::optional<TestedNumber> Tested = testedNumberAtEnd(Block);
  auto *Status = Tested ? dyn_cast<LoadInst>(Tested->What) : nullptr;
  if (!Status || !Tested->With->isZero() || !isCompletionStatus(Status->getPointerOperand()))
    return -1;
  return static_cast<int>(1 - Tested->OnEqual);
}

} // namespace rdma::clang_ir
