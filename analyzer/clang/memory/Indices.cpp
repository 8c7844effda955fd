// What an index into an array may be: what the program says of it, and how far loops lead it.
#include "analyzer/clang/memory/FunctionFacts.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The numbers to which loops of known rounds lead an index: the index itself, in any width, less or more
/// than it by a constant, and, where ways meet, on each of them.
class Led {
public:
  Led(FunctionFacts &Facts, const GEPOperator &Gep) : Facts(Facts), Gep(Gep) {}

  std::optional<std::pair<std::int64_t, std::int64_t>> of(const Value *Index) {
    follow(Index, 0);
    return Least <= Most ? std::optional(std::pair(Least, Most)) : std::nullopt;
  }

private:
  static bool isSmall(const APInt &N) { return N.getSignificantBits() <= 32; }

  void follow(const Value *Index, std::int64_t More) {
    constexpr unsigned MostMet = 16;
    while (auto *Cast = dyn_cast<CastInst>(Index))
      Index = Cast->getOperand(0);
    if (!Facts.Evolution.isSCEVable(Index->getType()))
      return;
    if (count(*Facts.Evolution.getSCEV(const_cast<Value *>(Index)), More))
      return;
    if (auto *Add = dyn_cast<BinaryOperator>(Index); Add && Add->getOpcode() == Instruction::Add)
      if (auto *Number = dyn_cast<ConstantInt>(Add->getOperand(1)); Number && isSmall(Number->getValue()))
        return follow(Add->getOperand(0), More + Number->getSExtValue());
    if (auto *Choice = dyn_cast<SelectInst>(Index)) {
      follow(Choice->getTrueValue(), More);
      return follow(Choice->getFalseValue(), More);
    }
    auto *Phi = dyn_cast<PHINode>(Index);
    if (!Phi || Met.size() == MostMet || !Met.insert(Phi).second)
      return;
    const auto Before = Edge;
    for (unsigned Way = 0; Way < Phi->getNumIncomingValues(); ++Way) {
      Edge = {Phi->getIncomingBlock(Way), Phi->getParent()};
      follow(Phi->getIncomingValue(Way), More);
    }
    Edge = Before;
  }

  /// Is it a number that a loop counts?
  bool count(const SCEV &Value, std::int64_t More) {
    auto *Steps = dyn_cast<SCEVAddRecExpr>(&Value);
    if (!Steps)
      return false;
    auto *First = Steps->isAffine() ? dyn_cast<SCEVConstant>(Steps->getStart()) : nullptr;
    auto *Step =
        Steps->isAffine() ? dyn_cast<SCEVConstant>(Steps->getStepRecurrence(Facts.Evolution)) : nullptr;
    const std::int64_t Rounds = First && Step ? mostRounds(*Steps->getLoop()) : 0;
    if (!Step || !isSmall(Step->getAPInt()))
      return true;
    if (Rounds == 0 || !isSmall(First->getAPInt())) {
      countByOthers(*Steps, Step->getAPInt().isNegative(), More);
      return true;
    }
    const std::int64_t From = First->getAPInt().getSExtValue() + More;
    reach(From, From + Step->getAPInt().getSExtValue() * (Rounds - 1));
    return true;
  }

  void reach(std::int64_t From, std::int64_t To) {
    if (std::min(From, To) >= -Far && std::max(From, To) <= Far) {
      Least = std::min({Least, From, To});
      Most = std::max({Most, From, To});
    }
  }

  /// Of a loop whose rounds another loop, or a test before it, limits: what is counted in the last one. What
  /// a type limits is not limited.
  void countByOthers(const SCEVAddRecExpr &Steps, bool Down, std::int64_t More) {
    ScalarEvolution &Evolution = Facts.Evolution;
    const Loop &L = *Steps.getLoop();
    SmallVector<BasicBlock *, 4> Ends;
    L.getExitingBlocks(Ends);
    std::optional<std::int64_t> Furthest;
    for (const BasicBlock *End : Ends) {
      const SCEV *Passed = Evolution.getExitCount(&L, End);
      if (isa<SCEVCouldNotCompute>(Passed))
        continue;
      if (isBehind(L, *End))
        Passed = Evolution.getMinusSCEV(Passed, Evolution.getOne(Passed->getType()));
      const ConstantRange Last = Evolution.getSignedRange(
          Evolution.applyLoopGuards(Steps.evaluateAtIteration(Passed, Evolution), &L));
      const APInt Reached = Down ? Last.getSignedMin() : Last.getSignedMax();
      if (Reached.abs().ugt(LargestIndex) || isOfType(Reached + 1) || isOfType(Reached) ||
          isOfType(Reached - 1))
        continue;
      if (!Furthest || (Down ? *Furthest < Reached.getSExtValue() : *Furthest > Reached.getSExtValue()))
        Furthest = Reached.getSExtValue();
    }
    if (Furthest)
      reach(*Furthest + More, *Furthest + More);
  }

  /// How often a loop comes to the use, as the ends say of which it is known in which round they are taken,
  /// if no other comes before; 0: none is.
  std::int64_t mostRounds(const Loop &L) const {
    SmallVector<BasicBlock *, 4> Ends;
    L.getExitingBlocks(Ends);
    std::int64_t All = 0;
    for (const BasicBlock *End : Ends)
      if (const std::optional<std::int64_t> Passed = passed(L, *End)) {
        const std::int64_t Rounds = *Passed + (isBehind(L, *End) ? 0 : 1);
        All = All == 0 ? Rounds : std::min(All, Rounds);
      }
    return All;
  }

  /// How often a loop goes past this end before it leaves there. Of a counter that is narrower than what it
  /// is tested against, ScalarEvolution does not say.
  std::optional<std::int64_t> passed(const Loop &L, const BasicBlock &End) const {
    if (auto *Count = dyn_cast<SCEVConstant>(Facts.Evolution.getExitCount(&L, &End)))
      return Count->getAPInt().getActiveBits() <= 31 ? std::optional(Count->getAPInt().getZExtValue())
                                                     : std::nullopt;
    auto *Branch = dyn_cast<BranchInst>(End.getTerminator());
    return Branch && Branch->isConditional()
               ? passed(L, *Branch->getCondition(), L.contains(Branch->getSuccessor(0)))
               : std::nullopt;
  }

  /// Of what has to hold, or must not, for one more round. Of several tests the first one ends it.
  std::optional<std::int64_t> passed(const Loop &L, const Value &Condition, bool Stays) const {
    using namespace PatternMatch;
    const Value *A = nullptr, *B = nullptr;
    if (match(&Condition, m_Not(m_Value(A))))
      return passed(L, *A, !Stays);
    if (Stays ? match(&Condition, m_LogicalAnd(m_Value(A), m_Value(B)))
              : match(&Condition, m_LogicalOr(m_Value(A), m_Value(B)))) {
      const auto One = passed(L, *A, Stays), Other = passed(L, *B, Stays);
      return One && Other ? std::min(One, Other) : One ? One : Other;
    }
    auto *Test = dyn_cast<ICmpInst>(&Condition);
    auto *Limit = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
    if (!Limit || !isSmall(Limit->getValue()))
      return std::nullopt;
    const Value *Counter = Test->getOperand(0);
    while (isa<ZExtInst, SExtInst>(Counter))
      Counter = cast<Instruction>(Counter)->getOperand(0);
    auto *Steps = dyn_cast<SCEVAddRecExpr>(Facts.Evolution.getSCEV(const_cast<Value *>(Counter)));
    auto *First = Steps && Steps->isAffine() ? dyn_cast<SCEVConstant>(Steps->getStart()) : nullptr;
    if (!First || Steps->getLoop() != &L || !isSmall(First->getAPInt()) ||
        !Steps->getStepRecurrence(Facts.Evolution)->isOne())
      return std::nullopt;
    const auto Predicate = Stays ? Test->getPredicate() : Test->getInversePredicate();
    const bool UpTo = Predicate == ICmpInst::ICMP_SLE || Predicate == ICmpInst::ICMP_ULE;
    if (!UpTo && Predicate != ICmpInst::ICMP_SLT && Predicate != ICmpInst::ICMP_ULT &&
        Predicate != ICmpInst::ICMP_NE)
      return std::nullopt;
    const std::int64_t Passed = Limit->getSExtValue() + (UpTo ? 1 : 0) - First->getAPInt().getSExtValue();
    return Passed >= 0 ? std::optional(Passed) : std::nullopt;
  }

  /// Every way to the use goes past this end of the loop, and goes on in it: not so in the last round.
  bool isBehind(const Loop &L, const BasicBlock &End) const {
    auto goesOn = [&](const BasicBlock *Used) {
      return any_of(successors(&End), [&](const BasicBlock *Next) {
        return L.contains(Next) && Facts.Tree.dominates(BasicBlockEdge(&End, Next), Used);
      });
    };
    if (Edge.first)
      return Edge.first == &End ? L.contains(Edge.second) : goesOn(Edge.first);
    auto *Computed = dyn_cast<Instruction>(&Gep);
    if (!Computed || Computed->getParent() != &End)
      return Computed && goesOn(Computed->getParent());
    return all_of(Gep.users(), [&](const User *U) {
      auto *Used = dyn_cast<Instruction>(U);
      return Used && Used->getParent() != &End && goesOn(Used->getParent());
    });
  }

  FunctionFacts &Facts;
  const GEPOperator &Gep;
  /// The way on which the index comes to where ways meet; none: it is used as it is.
  std::pair<const BasicBlock *, const BasicBlock *> Edge;
  SmallPtrSet<const PHINode *, 8> Met;
  std::int64_t Least = Far, Most = -Far;
};

} // namespace

std::pair<std::int64_t, std::int64_t> indexInto(const ArrayType &Array,
                                                std::pair<std::int64_t, std::int64_t> Range,
                                                FunctionFacts &Facts, const GEPOperator &Gep,
                                                const Value *Index, NumbersAt Held) {
  auto [Least, Most] = Range;
  Least = std::max<std::int64_t>(Least, 0);
  Most = std::min<std::int64_t>(Most, Array.getNumElements() - 1);
  auto reach = [&](std::int64_t From, std::int64_t To) {
    Least = std::min(Least, From);
    Most = std::max(Most, To);
  };
  const std::optional<ConstantRange> Said = statedIndex(Facts, Gep, *Index, Held);
  if (!Said)
    return Range;
  const auto Reached = Led(Facts, Gep).of(Index);
  if (Said->isFullSet() && !Reached)
    return Range;
  if (!Said->isFullSet())
    reach(std::max(Range.first, Said->getSignedMin().getSExtValue()),
          std::min(Range.second, Said->getSignedMax().getSExtValue()));
  if (Reached)
    reach(Reached->first, Reached->second);
  return {Least, Most};
}

} // namespace rdma::clang_ir
