#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/prepare/KnownRanges.h"
#include "analyzer/clang/translate/IfResult.h"
#include "analyzer/clang/translate/KeptResults.h"
#include "analyzer/clang/translate/Tested.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>

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
static bool isElsewhere(const Value *Place, const LoadInst &Load) {
  const DataLayout &Layout = Load.getDataLayout();
  auto place = [&](const Value *At) {
    APInt Offset(Layout.getIndexTypeSizeInBits(At->getType()), 0);
    const Value *From = At->stripAndAccumulateConstantOffsets(Layout, Offset, true);
    return std::pair(From, Offset.getSExtValue());
  };
  const auto [To, ToOffset] = place(Place);
  const auto [From, FromOffset] = place(Load.getPointerOperand());
  return To == From && !isa<PHINode>(To) && ToOffset != FromOffset;
}

namespace {

/// What becomes of a number where polling fails: it is less than it was, or more, or nobody knows.
enum class Turn { Less, More, Any };

/// A number that the result is added to, taken from, or goes into in some other way.
struct Sum {
  const Value *Number;
  Turn Where;
  auto operator<=>(const Sum &) const = default;
};

Turn opposite(Turn Of) { return Of == Turn::Less ? Turn::More : Of == Turn::More ? Turn::Less : Turn::Any; }

bool isNegative(const Value *V) {
  auto *Number = dyn_cast<ConstantInt>(V);
  return Number && Number->isNegative();
}

/// What a number makes of another that goes into it: one that is not understood may do anything.
Turn turned(const User &U, const Value *Part, Turn Of) {
  auto *Modify = dyn_cast<AtomicRMWInst>(&U);
  const unsigned Opcode = Operator::getOpcode(&U);
  if (isa<CastInst, PHINode, SelectInst, FreezeInst, ExtractValueInst, InsertValueInst, AtomicCmpXchgInst>(
          U) ||
      Opcode == Instruction::Add)
    return Of;
  if (Modify &&
      (Modify->getOperation() == AtomicRMWInst::Add || Modify->getOperation() == AtomicRMWInst::Xchg))
    return Of;
  if (Modify && Modify->getOperation() == AtomicRMWInst::Sub)
    return opposite(Of);
  if (Opcode == Instruction::Sub)
    return U.getOperand(1) == Part ? opposite(Of) : Of;
  if (Opcode == Instruction::Mul || Opcode == Instruction::Shl)
    return isNegative(U.getOperand(1)) ? opposite(Of) : Of;
  return Turn::Any;
}

/// Numbers that are computed of others. A pointer is one where it moves on, not where it leads to what has a
/// number.
bool goesOn(const User &U, const Value *Part) {
  if (auto *Call = dyn_cast<CallBase>(&U))
    return isa<IntrinsicInst>(Call) && Call->getType()->isIntOrIntVectorTy();
  if (auto *Address = dyn_cast<GetElementPtrInst>(&U))
    return isa<PHINode, LoadInst>(Address->getPointerOperand()) || Address->getPointerOperand() == Part;
  if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&U))
    return Swap->getNewValOperand() == Part;
  return isa<Instruction>(U) && !isa<CmpInst, StoreInst, LoadInst>(U) && !U.getType()->isVoidTy();
}

/// Where the instruction puts it; null: nowhere.
const Value *putTo(const User &U, const Value *Part) {
  if (auto *Store = dyn_cast<StoreInst>(&U); Store && Store->getValueOperand() == Part)
    return Store->getPointerOperand();
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&U); Modify && Modify->getValOperand() == Part)
    return Modify->getPointerOperand();
  if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(&U); Swap && Swap->getNewValOperand() == Part)
    return Swap->getPointerOperand();
  return nullptr;
}

/// The result itself is one.
std::set<Sum> sumsOf(const CallBase &Poll) {
  std::set<Sum> Sums;
  SmallVector<Sum, 16> Work;
  auto add = [&](const Value *V, Turn Where) {
    if (Sums.insert({V, Where}).second)
      Work.push_back({V, Where});
  };
  add(&Poll, Turn::Less);
  while (!Work.empty()) {
    const auto [Number, Where] = Work.pop_back_val();
    for (const User *U : Number->users()) {
      const Turn Then = isa<StoreInst>(U) ? Where : turned(*U, Number, Where);
      if (goesOn(*U, Number))
        add(U, Then);
      const Value *Place = putTo(*U, Number);
      if (!Place)
        continue;
      for (const LoadInst *Read : loadsOf(*Poll.getFunction(), Place))
        if (!isElsewhere(Place, *Read))
          add(Read, Read->getType() == Number->getType() ? Then : Turn::Any);
    }
  }
  return Sums;
}

} // namespace

/// Is it done to poll: to find the queue, to ready what completions are put in, to look at what is counted?
static bool readiesPoll(const Instruction &I, const CallBase &Poll) {
  if (!I.mayReadOrWriteMemory() || isa<DbgInfoIntrinsic>(I) || I.isLifetimeStartOrEnd())
    return true;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isVolatile() &&
           (Load->getType()->isPointerTy() || all_of(Load->users(), [&](const User *U) {
              return U == &Poll || isa<CmpInst, BinaryOperator>(U);
            }));
  auto *Set = dyn_cast<MemSetInst>(&I);
  const Value *Object = Set ? getUnderlyingObject(Set->getRawDest()) : nullptr;
  return isa_and_nonnull<AllocaInst>(Object) && any_of(Poll.args(), [&](const Use &Given) {
           return Given->getType()->isPointerTy() && getUnderlyingObject(Given) == Object;
         });
}

/// Does every way from the block come to a poll before it comes to memory, or end the process?
static bool pollsFirst(const BasicBlock &From, const CallBase &Poll) {
  SmallPtrSet<const BasicBlock *, 8> Seen = {&From};
  SmallVector<const BasicBlock *, 8> Work = {&From};
  while (!Work.empty()) {
    const BasicBlock *Block = Work.pop_back_val();
    if (isa<UnreachableInst>(Block->getTerminator()))
      continue;
    bool Polls = false;
    for (const Instruction &I : *Block) {
      if (Polls |= &I == &Poll; Polls)
        break;
      if (!readiesPoll(I, Poll))
        return false;
    }
    if (!Polls && isa<ReturnInst, ResumeInst>(Block->getTerminator()))
      return false;
    for (const BasicBlock *Next : successors(Block))
      if (!Polls && Seen.insert(Next).second)
        Work.push_back(Next);
  }
  return true;
}

/// Does the program go on to poll wherever the condition has this outcome?
static bool pollsWhere(const Value &Condition, bool Outcome, const CallBase &Poll) {
  using namespace PatternMatch;
  return all_of(Condition.users(), [&](const User *U) {
    if (auto *Branch = dyn_cast<BranchInst>(U))
      return pollsFirst(*Branch->getSuccessor(Outcome ? 0 : 1), Poll);
    if (match(U, m_Not(m_Specific(&Condition))))
      return pollsWhere(*U, !Outcome, Poll);
    const bool Joins =
        match(U, m_LogicalAnd(m_Value(), m_Value())) || match(U, m_LogicalOr(m_Value(), m_Value()));
    return Joins && pollsWhere(*U, Outcome, Poll);
  });
}

/// Has the comparison an outcome that a failure alone may bring about? What counts up is above all limits
/// without a sign where nothing has been added yet, and below zero; what counts down has become more. Of what
/// may be anything each test does that ends the polling.
static bool jumpsPastLimit(const ICmpInst &Compare, const Sum &Of, const CallBase &Poll) {
  if (Of.Where == Turn::Any)
    return pollsWhere(Compare, true, Poll) != pollsWhere(Compare, false, Poll);
  if (Compare.isEquality())
    return false;
  const bool Below = Of.Where == Turn::More;
  if (!Below && (Compare.isUnsigned() || isa<ZExtInst>(Of.Number)))
    return true;
  const bool First = Compare.getOperand(0) == Of.Number;
  auto *Number = dyn_cast<ConstantInt>(Compare.getOperand(First ? 1 : 0));
  if (!Below && !(Number && (Number->isZero() || Number->isNegative())))
    return false;
  const CmpInst::Predicate Asked = Compare.getPredicate();
  const bool MoreIfTrue = (ICmpInst::isGT(Asked) || ICmpInst::isGE(Asked)) == First;
  return !pollsWhere(Compare, MoreIfTrue == Below, Poll);
}

/// Does one of the cases of a switch, or none of them, end the polling?
static bool endsPolling(const SwitchInst &Switch, const Sum &Of, const CallBase &Poll) {
  if (Of.Where != Turn::Any)
    return !pollsFirst(*Switch.getDefaultDest(), Poll);
  auto polls = [&](const BasicBlock *To) { return pollsFirst(*To, Poll); };
  return any_of(successors(&Switch), polls) && !all_of(successors(&Switch), polls);
}

/// Is there a test of a sum that ends otherwise where polling fails? A switch has no case for it.
static bool jumpsPastLimit(const CallBase &Poll, const IfResult &If) {
  return any_of(sumsOf(Poll), [&](const Sum &Of) {
    return any_of(Of.Number->users(), [&](const User *U) {
      if (auto *Switch = dyn_cast<SwitchInst>(U); Switch && !If.value(Of.Number, -1))
        return endsPolling(*Switch, Of, Poll);
      auto *Compare = dyn_cast<ICmpInst>(U);
      return Compare && jumpsPastLimit(*Compare, Of, Poll) && !If.value(Compare, -1);
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
