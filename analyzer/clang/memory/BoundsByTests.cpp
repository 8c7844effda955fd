// What the conditions that lead to a place leave of a number.
#include "analyzer/clang/memory/Bounds.h"

#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

enum : unsigned { DeepestCondition = 16, MostConditions = 64 };

/// All numbers that fit in a width that others are made narrower from.
ConstantRange imageOf(const CastInst &Wider) {
  const unsigned From = Wider.getSrcTy()->getIntegerBitWidth();
  const ConstantRange All = ConstantRange::getFull(From);
  const unsigned To = Wider.getDestTy()->getIntegerBitWidth();
  return isa<ZExtInst>(Wider) ? All.zeroExtend(To) : All.signExtend(To);
}

/// The factor that a number is multiplied by, without wrapping.
std::optional<std::int64_t> factorOf(const BinaryOperator &I) {
  auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
  auto *NoWrap = dyn_cast<OverflowingBinaryOperator>(&I);
  if (!Number || !NoWrap || !NoWrap->hasNoSignedWrap() || Number->getValue().getActiveBits() > 30)
    return std::nullopt;
  if (I.getOpcode() == Instruction::Shl && Number->getZExtValue() < 30)
    return std::int64_t(1) << Number->getZExtValue();
  return I.getOpcode() == Instruction::Mul && Number->getZExtValue() > 0
             ? std::optional<std::int64_t>(Number->getZExtValue())
             : std::nullopt;
}

/// Is it a number that the tested one is computed of, and nothing else but constants?
bool isMadeOf(const Value &Tested, function_ref<bool(const Value &)> Is) {
  constexpr unsigned Deepest = 16;
  const Value *V = &Tested;
  for (unsigned Depth = 0; Depth < Deepest; ++Depth) {
    if (isa<Constant>(V) || Is(*V))
      return !isa<Constant>(V);
    auto *I = dyn_cast<Instruction>(V);
    if (!I ||
        !(isa<CastInst, FreezeInst>(I) || (isa<BinaryOperator>(I) && isa<ConstantInt>(I->getOperand(1)))))
      return false;
    V = I->getOperand(0);
  }
  return false;
}

/// The numbers of which so many times each is in the range, with a sign.
ConstantRange divided(const ConstantRange &Range, std::int64_t By) {
  const unsigned Bits = Range.getBitWidth();
  if (Range.isEmptySet() || Range.isFullSet())
    return Range;
  auto floor = [&](std::int64_t N) { return N >= 0 ? N / By : -((-N + By - 1) / By); };
  const std::int64_t Low = Range.getSignedMin().getSExtValue(), High = Range.getSignedMax().getSExtValue();
  if (Low == std::numeric_limits<std::int64_t>::min())
    return ConstantRange::getFull(Bits);
  const std::int64_t First = -floor(-Low), Last = floor(High);
  return First > Last ? ConstantRange::getEmpty(Bits)
                      : ConstantRange::getNonEmpty(APInt(Bits, First, true), APInt(Bits, Last, true) + 1);
}

} // namespace

/// By the conditions that lead to the place at hand.
StridedInterval Bounds::refined(StridedInterval Now, Same Is) {
  for (const auto &[Condition, Holds] : Here.Given)
    Now = assumed(*Condition, Holds, Now, Is);
  auto passed = [&](const BasicBlock &From, const BasicBlock &To) {
    auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1))
      Now = assumed(*Branch->getCondition(), Branch->getSuccessor(0) == &To, Now, Is);
  };
  const BasicBlock *Block = Here.At->getParent();
  if (Here.Into)
    passed(*Block, *Here.Into);
  const DomTreeNode *Node = Facts.Tree.getNode(Block);
  for (unsigned Count = 0; Node && Node->getIDom() && Count < MostConditions && !Now.isNone(); ++Count) {
    Node = Node->getIDom();
    const BasicBlock *From = Node->getBlock();
    for (const BasicBlock *To : successors(From))
      if (Facts.Tree.dominates(BasicBlockEdge(From, To), Block))
        passed(*From, *To);
  }
  return Now;
}

StridedInterval Bounds::assumed(const Value &Condition, bool Holds, StridedInterval Now, Same Is,
                                unsigned Depth) {
  const Value *Left = nullptr, *Right = nullptr;
  if (Depth > DeepestCondition || Now.isNone())
    return Now;
  if (match(&Condition, m_Not(m_Value(Left))))
    return assumed(*Left, !Holds, Now, Is, Depth + 1);
  if (match(&Condition, m_Freeze(m_Value(Left))))
    return assumed(*Left, Holds, Now, Is, Depth + 1);
  const bool And = match(&Condition, m_LogicalAnd(m_Value(Left), m_Value(Right)));
  if (And || match(&Condition, m_LogicalOr(m_Value(Left), m_Value(Right)))) {
    const StridedInterval One = assumed(*Left, Holds, Now, Is, Depth + 1);
    return And == Holds ? assumed(*Right, Holds, One, Is, Depth + 1)
                        : One.joined(assumed(*Right, Holds, Now, Is, Depth + 1));
  }
  auto *Test = dyn_cast<ICmpInst>(&Condition);
  return Test && isNumber(*Test->getOperand(0)) ? compared(*Test, Holds, Now, Is) : Now;
}

StridedInterval Bounds::compared(const ICmpInst &Test, bool Holds, StridedInterval Now, Same Is) {
  if (!Asking.insert(&Test).second)
    return Now;
  auto Predicate = Holds ? Test.getPredicate() : Test.getInversePredicate();
  for (const unsigned Side : {0, 1}) {
    const Value &Tested = *Test.getOperand(Side), &Limit = *Test.getOperand(1 - Side);
    if (isMadeOf(Tested, Is)) {
      const StridedInterval Other = of(Limit);
      const ConstantRange Allowed = ConstantRange::makeAllowedICmpRegion(Predicate, Other.range());
      if (const auto Left = behind(Tested, Allowed, Now, Is)) {
        for (const APInt &End :
             {Left->getLower() - 1, Left->getLower(), Left->getUpper() - 1, Left->getUpper()})
          Ends.insert(End.getSExtValue());
        Now = Now.within(*Left);
      }
    }
    Predicate = ICmpInst::getSwappedPredicate(Predicate);
  }
  Asking.erase(&Test);
  return Now;
}

/// What the number behind the tested one can be, where that is in a range; nothing: it says nothing of it.
std::optional<ConstantRange> Bounds::behind(const Value &Tested, const ConstantRange &Allowed,
                                            const StridedInterval &Now, Same Is) {
  if (Is(Tested))
    return Allowed;
  auto *I = dyn_cast<Instruction>(&Tested);
  if (!I)
    return std::nullopt;
  const Value &Of = *I->getOperand(0);
  if (isa<FreezeInst>(I))
    return behind(Of, Allowed, Now, Is);
  if (isa<ZExtInst, SExtInst>(I))
    return behind(Of, Allowed.intersectWith(imageOf(cast<CastInst>(*I))).truncate(bitsOf(Of)), Now, Is);
  if (isa<TruncInst>(I)) {
    if (!isNumber(Of) || !Is(Of) || Now.least() < 0 || Now.most() >> (bitsOf(*I) - 1) > 1)
      return std::nullopt;
    return Allowed.zeroExtend(bitsOf(Of));
  }
  auto *Binary = dyn_cast<BinaryOperator>(I);
  auto *Number = Binary ? dyn_cast<ConstantInt>(Binary->getOperand(1)) : nullptr;
  if (!Number)
    return std::nullopt;
  auto *Disjoint = dyn_cast<PossiblyDisjointInst>(Binary);
  if (Binary->getOpcode() == Instruction::Add || (Disjoint && Disjoint->isDisjoint()))
    return behind(Of, Allowed.subtract(Number->getValue()), Now, Is);
  if (Binary->getOpcode() == Instruction::Sub)
    return behind(Of, Allowed.subtract(-Number->getValue()), Now, Is);
  if (const auto Factor = factorOf(*Binary))
    return behind(Of, divided(Allowed, *Factor), Now, Is);
  return std::nullopt;
}

} // namespace rdma::clang_ir
