// What an index into an array may be: what the program says of it, and how far loops lead it.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Pointers.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Does it give a number that is never below zero: a length, a count, a time?
bool givesLength(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases("strlen", "strnlen", "wcslen", "strspn", "strcspn", "fread", "fwrite", true)
      .Cases("rand", "random", "lrand48", "rand_r", "time", "clock", true)
      .Default(false);
}

/// The largest byte or word: what a cast leaves.
bool isOfType(const APInt &Most) { return Most == 0xff || Most == 0xffff; }

/// Larger numbers are no index that anybody states.
constexpr std::int64_t Largest = 1 << 24;

/// What the program itself says of an index: by a mask, a remainder, a shift, a test, a number that it may
/// be, or a call that gives -1 where it fails. How much its type holds says nothing of it, nor does a cast.
class Stated {
public:
  Stated(FunctionFacts &Facts, const GEPOperator &Gep) : Facts(Facts), At(dyn_cast<Instruction>(&Gep)) {}

  ConstantRange of(const Value *V, unsigned Depth = 0) {
    constexpr unsigned Deepest = 8;
    if (auto *Number = dyn_cast<ConstantInt>(V))
      return fits(ConstantRange(Number->getValue().sextOrTrunc(Bits)));
    if (Depth == Deepest || !V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > Bits)
      return any();
    const ConstantRange Possible = possible(V, At), Tested = tested(V, Possible);
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return Tested;
    auto *Phi = dyn_cast<PHINode>(I);
    return within(either(Tested, Phi ? met(*Phi, Depth + 1) : computed(*I, Depth + 1)), Possible);
  }

private:
  static constexpr unsigned Bits = 64;
  static ConstantRange any() { return ConstantRange::getFull(Bits); }
  static ConstantRange fits(const ConstantRange &R) {
    return !R.isEmptySet() && R.getSignedMin().sge(-Largest) && R.getSignedMax().sle(Largest) ? R : any();
  }
  static ConstantRange upTo(const APInt &Most) {
    return Most.ult(Largest) ? ConstantRange(APInt(Bits, 0), Most.zextOrTrunc(Bits) + 1) : any();
  }

  static ConstantRange either(const ConstantRange &A, const ConstantRange &B) {
    return A.isFullSet() ? B : B.isFullSet() ? A : A.unionWith(B, ConstantRange::Signed);
  }
  static ConstantRange wide(const ConstantRange &R) {
    return R.isFullSet() ? any() : R.isSignWrappedSet() ? R.zextOrTrunc(Bits) : R.sextOrTrunc(Bits);
  }
  /// What tests leave, in the number's own width, of what may come.
  static ConstantRange within(const ConstantRange &Said, const ConstantRange &Possible) {
    if (Said.isFullSet() || Possible.isFullSet())
      return Said;
    const ConstantRange Own = Said.zextOrTrunc(Possible.getBitWidth());
    const ConstantRange Left = Own.intersectWith(Possible, ConstantRange::Signed);
    return Left.isEmptySet() ? any() : wide(Left);
  }

  /// Where ways meet: what it may be on any. Of what comes round a loop it counts only how far below zero
  /// one more round leads.
  ConstantRange met(const PHINode &Phi, unsigned Depth) {
    if (auto Found = Met.find(&Phi); Found != Met.end())
      return Found->second;
    ConstantRange All = Met.try_emplace(&Phi, any()).first->second;
    const Instruction *Use = At;
    auto along = [&](unsigned Way) {
      At = Phi.getIncomingBlock(Way)->getTerminator();
      return of(Phi.getIncomingValue(Way), Depth);
    };
    SmallVector<unsigned, 4> Again;
    for (unsigned Way = 0; Way < Phi.getNumIncomingValues(); ++Way)
      if (const ConstantRange One = along(Way); !One.isFullSet())
        All = either(All, One);
      else
        Again.push_back(Way);
    Met.find(&Phi)->second = All;
    const ConstantRange BelowZero(APInt::getSignedMinValue(Bits), APInt::getZero(Bits));
    for (unsigned Way : Again)
      if (const ConstantRange One = along(Way); !One.isFullSet())
        if (const ConstantRange Below = One.intersectWith(BelowZero); !Below.isEmptySet())
          All = either(All, Below);
    At = Use;
    return fits(All);
  }

  ConstantRange computed(const Instruction &I, unsigned Depth) {
    auto operand = [&](unsigned N) { return of(I.getOperand(N), Depth); };
    switch (I.getOpcode()) {
    case Instruction::ZExt:
      return isTruth(*I.getOperand(0)) ? ConstantRange(APInt::getZero(Bits), APInt(Bits, 2))
                                       : notNegative(operand(0));
    case Instruction::SExt:
      return isTruth(*I.getOperand(0)) ? ConstantRange(APInt::getAllOnes(Bits), APInt(Bits, 1))
                                       : cut(operand(0), I.getOperand(0)->getType()->getIntegerBitWidth());
    case Instruction::Freeze:
    case Instruction::Trunc: // of a small number
      return operand(0);
    case Instruction::Call:
    case Instruction::Invoke:
      return returned(cast<CallBase>(I), Depth);
    case Instruction::Select:
      if (const ConstantInt *Most = clamp(I))
        return upTo(Most->getValue());
      return fits(either(operand(1), operand(2)));
    default:
      return isa<BinaryOperator>(I) ? combined(cast<BinaryOperator>(I), operand(0), operand(1)) : any();
    }
  }

  static bool isTruth(const Value &V) { return V.getType()->isIntegerTy(1); }

  /// Of a known number that is kept in so many bits.
  static ConstantRange cut(const ConstantRange &R, unsigned Width) {
    return R.isFullSet() || Width == Bits ? R : R.truncate(Width).signExtend(Bits);
  }

  static ConstantRange notNegative(const ConstantRange &R) {
    const ConstantRange From(APInt::getZero(Bits), APInt::getSignedMinValue(Bits));
    const ConstantRange Left = R.isFullSet() ? R : R.intersectWith(From, ConstantRange::Signed);
    return Left.isEmptySet() ? any() : Left;
  }

  /// Of two known numbers, what comes of them. What is known of a number that goes round a loop is not all
  /// that it may be.
  static ConstantRange combined(const BinaryOperator &I, const ConstantRange &A, const ConstantRange &B) {
    if (auto *Disjoint = dyn_cast<PossiblyDisjointInst>(&I); Disjoint && Disjoint->isDisjoint())
      return sum(A, B);
    const ConstantRange Said = left(I, B);
    const bool Unsigned = I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::UDiv;
    return Said.isFullSet() && known(A, B) ? fits((Unsigned ? notNegative(A) : A).binaryOp(I.getOpcode(), B))
                                           : Said;
  }

  /// What a mask, a remainder or a shift leaves of any number.
  static ConstantRange left(const BinaryOperator &I, const ConstantRange &By) {
    auto *Number = dyn_cast<ConstantInt>(I.getOperand(1));
    const unsigned Width = I.getType()->getIntegerBitWidth();
    if (I.getOpcode() == Instruction::URem && !By.isFullSet() && By.getSignedMax().isStrictlyPositive())
      return upTo(By.getSignedMax() - 1);
    if (Number && I.getOpcode() == Instruction::And && !isOfType(Number->getValue()))
      return upTo(Number->getValue());
    if (Number && I.getOpcode() == Instruction::LShr && Number->getValue().ult(Width))
      return upTo(APInt::getLowBitsSet(Width, Width - Number->getZExtValue()));
    return any();
  }

  /// Of a choice of the smaller one of a number and this. The number may be made wider.
  static const ConstantInt *clamp(const Instruction &I) {
    Value *Left = nullptr, *Right = nullptr;
    Instruction::CastOps Cast;
    const SelectPatternFlavor Flavor =
        matchSelectPattern(const_cast<Instruction *>(&I), Left, Right, &Cast).Flavor;
    return Flavor == SPF_UMIN || Flavor == SPF_SMIN ? dyn_cast_or_null<ConstantInt>(Right) : nullptr;
  }

  static bool known(const ConstantRange &A, const ConstantRange &B) {
    return !A.isFullSet() && !B.isFullSet();
  }
  static ConstantRange sum(const ConstantRange &A, const ConstantRange &B) {
    return known(A, B) ? fits(A.add(B)) : any();
  }

  /// Of the smaller one of a number and a constant, the number need not be known.
  static ConstantRange chosen(const MinMaxIntrinsic &Choice, const ConstantRange &Left,
                              const ConstantRange &Right) {
    auto *Limit = dyn_cast<ConstantInt>(Choice.getRHS());
    if (Choice.getPredicate() == ICmpInst::ICMP_SGT || Choice.getPredicate() == ICmpInst::ICMP_UGT)
      return known(Left, Right) ? fits(Left.smax(Right)) : any();
    return either(Limit ? upTo(Limit->getValue()) : any(),
                  known(Left, Right) ? fits(Left.smin(Right)) : any());
  }

  /// A library's function tells of a failure by -1, and what gives a length by 0.
  ConstantRange returned(const CallBase &Call, unsigned Depth) {
    if (auto *Choice = dyn_cast<MinMaxIntrinsic>(&Call))
      return chosen(*Choice, of(Choice->getLHS(), Depth), of(Choice->getRHS(), Depth));
    if (Call.getIntrinsicID() == Intrinsic::abs)
      if (const ConstantRange Of = of(Call.getArgOperand(0), Depth); !Of.isFullSet())
        return Of.abs();
    const Function *Callee = calledFunction(Call);
    if (isa<IntrinsicInst>(Call) || !Callee || !(Callee->isDeclaration() || rowOf(Call)))
      return any();
    return ConstantRange(APInt(Bits, givesLength(Callee->getName()) ? 0 : -1, true));
  }

  /// By the conditions on the way there. An index is not below zero where none says how far below. Where none
  /// says how far above, it may be the least one.
  ConstantRange tested(const Value *V, const ConstantRange &Possible) const {
    if (!At || (isa<BinaryOperator, ZExtInst, SExtInst, SelectInst>(V) &&
                Possible == possible(V, cast<Instruction>(V))))
      return any();
    const ConstantRange Wide = wide(Possible);
    if (Wide.isFullSet() || isOfType(Wide.getUnsignedMax()) || isOfType(Wide.getUnsignedMax() + 1))
      return any();
    const APInt Least = Wide.getSignedMin(), Most = Wide.getSignedMax();
    const unsigned Width = Possible.getBitWidth();
    const bool Below = Least.isNegative() && Least == APInt::getSignedMinValue(Width).sext(Bits);
    const bool Above = Most == APInt::getSignedMaxValue(Width).sext(Bits);
    if (Below && (Above || Most.isNegative()))
      return any();
    return fits({Below ? APInt::getZero(Bits) : Least, (Above ? Least : Most) + 1});
  }

  /// What the conditions on the way there, and its type, let it be, in its own width.
  ConstantRange possible(const Value *V, const Instruction *Where) const {
    const auto All = ConstantRange::getFull(V->getType()->getIntegerBitWidth());
    if (!Where)
      return All;
    const ConstantRange R =
        Facts.Ranges.getConstantRange(const_cast<Value *>(V), const_cast<Instruction *>(Where), false);
    return R.isEmptySet() ? All : R;
  }

  FunctionFacts &Facts;
  const Instruction *At;
  DenseMap<const PHINode *, ConstantRange> Met;
};

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
      if (Reached.abs().ugt(Largest) || isOfType(Reached + 1) || isOfType(Reached) || isOfType(Reached - 1))
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
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
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
    const bool Stays = L.contains(Branch->getSuccessor(0));
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
                                                const Value *Index) {
  auto [Least, Most] = Range;
  Least = std::max<std::int64_t>(Least, 0);
  Most = std::min<std::int64_t>(Most, Array.getNumElements() - 1);
  auto reach = [&](std::int64_t From, std::int64_t To) {
    Least = std::min(Least, From);
    Most = std::max(Most, To);
  };
  if (const ConstantRange Said = Stated(Facts, Gep).of(Index); !Said.isFullSet())
    reach(std::max(Range.first, Said.getSignedMin().getSExtValue()),
          std::min(Range.second, Said.getSignedMax().getSExtValue()));
  if (const auto Reached = Led(Facts, Gep).of(Index))
    reach(Reached->first, Reached->second);
  return {Least, Most};
}

} // namespace rdma::clang_ir
