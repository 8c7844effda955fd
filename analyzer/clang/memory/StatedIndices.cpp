// What the program itself says of an index: by its masks, remainders, shifts, tests and numbers.
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/GoingRound.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What the program itself says of an index: by a mask, a remainder, a shift, a test, a number that it may
/// be, or a call that gives -1 where it fails. How much its type holds says nothing of it, nor does a cast.
class Stated {
public:
  Stated(FunctionFacts &Facts, const GEPOperator &Gep, NumbersAt Held)
      : Facts(Facts), Held(Held), At(dyn_cast<Instruction>(&Gep)) {}

  std::optional<ConstantRange> ofIndex(const Value &Index) {
    const ConstantRange Said = of(&Index);
    return Asked > Most ? std::nullopt : std::optional(Said);
  }

private:
  /// So many numbers that one is made of are followed.
  static constexpr unsigned Most = 2000, Deepest = 200;

  ConstantRange of(const Value *V, unsigned Depth = 0) {
    if (auto *Number = dyn_cast<ConstantInt>(V))
      return fits(ConstantRange(Number->getValue().sextOrTrunc(Bits)));
    if (!V->getType()->isIntegerTy() || V->getType()->getIntegerBitWidth() > Bits)
      return any();
    if (Depth > Deepest)
      Asked = Most;
    if (Asked++ >= Most)
      return any();
    const ConstantRange Possible = possible(V, At);
    ConstantRange Tested = tested(V, Possible);
    if (Tested.isFullSet())
      Tested = testedBeside(*V);
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return Tested;
    auto *Phi = dyn_cast<PHINode>(I);
    return within(either(Tested, Phi ? met(*Phi, Depth + 1) : computed(*I, Depth + 1)), Possible);
  }

  static constexpr unsigned Bits = 64;
  static ConstantRange any() { return ConstantRange::getFull(Bits); }
  static ConstantRange fits(const ConstantRange &R) {
    return !R.isEmptySet() && R.getSignedMin().sge(-LargestIndex) && R.getSignedMax().sle(LargestIndex)
               ? R
               : any();
  }
  static ConstantRange upTo(const APInt &Most) {
    return Most.ult(LargestIndex) ? ConstantRange(APInt(Bits, 0), Most.zextOrTrunc(Bits) + 1) : any();
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
    if (!Left.isEmptySet())
      return wide(Left);
    // Not that, but the number next to it.
    const APInt Next = Own.getSignedMax() + 1;
    return Possible.contains(Next) ? fits(ConstantRange(Next.sext(Bits))) : any();
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
      return onEdge(of(Phi.getIncomingValue(Way), Depth), *Phi.getIncomingValue(Way), Phi, Way);
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
    All = fits(either(All, goneRound(Phi, Depth)));
    At = Use;
    return Met.find(&Phi)->second = All;
  }

  /// What the condition leaves on whose outcome this way is taken.
  ConstantRange onEdge(const ConstantRange &Said, const Value &V, const PHINode &Phi, unsigned Way) const {
    if (Said.isFullSet() || isa<Constant>(V))
      return Said;
    const ConstantRange Left = Facts.Ranges.getConstantRangeOnEdge(
        const_cast<Value *>(&V), Phi.getIncomingBlock(Way), const_cast<BasicBlock *>(Phi.getParent()));
    return Left.isEmptySet() ? Said : within(Said, Left);
  }

  /// Of a position that is counted on some ways only, or goes back at a test: how far it goes. What a loop
  /// counts in each round is another matter.
  ConstantRange goneRound(const PHINode &Phi, unsigned Depth) {
    if (!Facts.Loops.isLoopHeader(Phi.getParent()) || !Facts.Evolution.isSCEVable(Phi.getType()) ||
        isa<SCEVAddRecExpr>(Facts.Evolution.getSCEV(const_cast<PHINode *>(&Phi))))
      return any();
    const SmallPtrSet<const PHINode *, 4> Same = countedWith(Phi);
    GoingRound Round = positionOf(
        [&](const Value &V) { return isa<PHINode>(V) && Same.contains(cast<PHINode>(&V)); }, Depth);
    for (const PHINode *One : Same)
      for (unsigned Way = 0; Way < One->getNumIncomingValues(); ++Way)
        Round.setTo(*One->getIncomingValue(Way), *One->getIncomingBlock(Way)->getTerminator(),
                    One->getParent());
    return ofInterval(Round.solve());
  }

  /// What is one position in loops within each other.
  SmallPtrSet<const PHINode *, 4> countedWith(const PHINode &Phi) const {
    SmallPtrSet<const PHINode *, 4> Same;
    SmallPtrSet<const Value *, 16> Seen = {&Phi};
    SmallVector<const Value *, 16> Work = {&Phi};
    while (!Work.empty() && Seen.size() < 32) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      auto *Merge = dyn_cast_or_null<PHINode>(I);
      if (Merge && Facts.Loops.isLoopHeader(Merge->getParent()))
        Same.insert(Merge);
      if (!I || !(Merge || isa<SelectInst, CastInst, BinaryOperator>(I)) || !I->getType()->isIntegerTy())
        continue;
      for (const Value *Part : I->operand_values())
        if (!isa<Constant>(Part) && Part->getType() == Phi.getType() && Seen.insert(Part).second)
          Work.push_back(Part);
    }
    return Same;
  }

  GoingRound positionOf(GoingRound::IsPosition Is, unsigned Depth) {
    return GoingRound(
        Facts.Tree, std::move(Is),
        [this, Depth](const Value &V, const Instruction &Use) -> std::optional<GoingRound::Interval> {
          const ConstantRange Other = ofStored(V, Use, Depth);
          if (Other.isFullSet())
            return std::nullopt;
          return std::pair(Other.getSignedMin().getSExtValue(), Other.getSignedMax().getSExtValue());
        });
  }

  static ConstantRange ofInterval(const std::optional<GoingRound::Interval> &Found) {
    return Found ? fits({APInt(Bits, Found->first, true), APInt(Bits, Found->second + 1, true)}) : any();
  }

  ConstantRange ofStored(const Value &V, const Instruction &Use, unsigned Depth) {
    const Instruction *Before = std::exchange(At, &Use);
    const ConstantRange Said = of(&V, Depth + 1);
    At = Before;
    return Said;
  }

  /// Where what is stored is left there, if a test straight behind it leads to another store there else:
  /// `if (++at > 64) at = 0`.
  static const BasicBlock *leftThere(const Instruction &Store, const SymbolicAddress &There) {
    auto *Branch = dyn_cast<BranchInst>(Store.getParent()->getTerminator());
    auto storesThere = [&](const BasicBlock &Block) {
      return Block.getSinglePredecessor() && any_of(Block, [&](const Instruction &I) {
               auto *Other = dyn_cast<StoreInst>(&I);
               return Other &&
                      distance(symbolicAddress(Other->getPointerOperand(), I.getDataLayout()), There) == 0;
             });
    };
    if (!Branch || !Branch->isConditional())
      return nullptr;
    for (const unsigned Way : {0, 1})
      if (storesThere(*Branch->getSuccessor(Way)) && !storesThere(*Branch->getSuccessor(1 - Way)))
        return Branch->getSuccessor(1 - Way);
    return nullptr;
  }

  /// What is read back is what was put there, as far as that is known, and as the tests on the way say of
  /// what was read from there before.
  ConstantRange inMemory(const LoadInst &Load, unsigned Depth) {
    if (!Held || !Reading.insert(&Load).second)
      return any();
    const DataLayout &Layout = Load.getModule()->getDataLayout();
    const SymbolicAddress There = symbolicAddress(Load.getPointerOperand(), Layout);
    auto isThere = [&](const Value &V) {
      auto *Other = dyn_cast<LoadInst>(&V);
      return Other && Other->getType() == Load.getType() &&
             distance(symbolicAddress(Other->getPointerOperand(), Layout), There) == 0;
    };
    ConstantRange All = any();
    GoingRound Round = positionOf(isThere, Depth);
    const std::vector<HeldNumber> Numbers = Held(Load);
    for (const HeldNumber &N : Numbers)
      if (N.V && N.StoredBy) {
        const BasicBlock *Left = leftThere(*N.StoredBy, There);
        Round.setTo(*N.V, Left ? *N.StoredBy->getParent()->getTerminator() : *N.StoredBy, Left);
        All = either(All, ofStored(*N.V, *N.StoredBy, Depth));
      } else if (!N.V) {
        Round.beginsWith(N.Constant);
        All = either(All, fits(ConstantRange(APInt(Bits, N.Constant, true))));
      }
    All = either(All, ofInterval(Round.solve()));
    for (const Value *Other : compared(true))
      if (isThere(*Other)) {
        const ConstantRange Left = possible(Other, At);
        All = within(holdsSince(Numbers, *Other) ? either(All, tested(Other, Left)) : All, Left);
      }
    Reading.erase(&Load);
    return All;
  }

  /// Has the test read what is there still?
  bool holdsSince(ArrayRef<HeldNumber> All, const Value &Tested) const {
    return all_of(All, [&](const HeldNumber &N) {
      return !N.StoredBy || Facts.Tree.dominates(N.StoredBy, cast<LoadInst>(&Tested));
    });
  }

  /// Any number of a table of constants.
  static ConstantRange inTable(const LoadInst &Load) {
    auto *Table = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
    auto *Numbers = Table && Table->isConstant() && Table->hasDefinitiveInitializer()
                        ? dyn_cast<ConstantDataArray>(Table->getInitializer())
                        : nullptr;
    ConstantRange All = any();
    if (Numbers && Numbers->getElementType() == Load.getType() && Load.getType()->isIntegerTy())
      for (unsigned I = 0; I < Numbers->getNumElements(); ++I)
        All = either(All, fits(ConstantRange(Numbers->getElementAsAPInt(I).zext(Bits))));
    return All;
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
    case Instruction::Load:
      if (isWorkId(cast<LoadInst>(I)))
        return ConstantRange(APInt::getZero(Bits));
      return either(inMemory(cast<LoadInst>(I), Depth), inTable(cast<LoadInst>(I)));
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
  ConstantRange combined(const BinaryOperator &I, const ConstantRange &A, const ConstantRange &B) const {
    if (auto *Disjoint = dyn_cast<PossiblyDisjointInst>(&I); Disjoint && Disjoint->isDisjoint())
      return sum(A, B);
    const ConstantRange Said = left(I, B);
    const bool Unsigned = I.getOpcode() == Instruction::LShr || I.getOpcode() == Instruction::UDiv;
    if (!Said.isFullSet() || (A.isFullSet() && B.isFullSet()))
      return Said;
    return known(A, B) ? fits((Unsigned ? notNegative(A) : A).binaryOp(I.getOpcode(), B)) : ofOne(I, A, B);
  }

  /// Is it a number that a loop counts? What is put in the place of what it goes past is the one that is not
  /// known.
  bool isCounted(const Value *V) const {
    return Facts.Evolution.isSCEVable(V->getType()) &&
           SCEVExprContains(Facts.Evolution.getSCEV(const_cast<Value *>(V)),
                            [](const SCEV *S) { return isa<SCEVAddRecExpr>(S); });
  }

  /// Of a known number and one that is not known: what becomes no more of it.
  ConstantRange ofOne(const BinaryOperator &I, const ConstantRange &A, const ConstantRange &B) const {
    const ConstantRange &Number = A.isFullSet() ? B : A;
    if (isCounted(I.getOperand(A.isFullSet() ? 1 : 0)))
      return any();
    const auto Opcode = I.getOpcode();
    const bool Less = Opcode == Instruction::And ||
                      (!A.isFullSet() && (Opcode == Instruction::URem || Opcode == Instruction::UDiv ||
                                          Opcode == Instruction::LShr));
    return Less && !Number.getSignedMin().isNegative() ? upTo(Number.getSignedMax()) : any();
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
  ConstantRange chosen(const MinMaxIntrinsic &Choice, const ConstantRange &Left,
                       const ConstantRange &Right) const {
    auto *Limit = dyn_cast<ConstantInt>(Choice.getRHS());
    if (Choice.getPredicate() == ICmpInst::ICMP_SGT || Choice.getPredicate() == ICmpInst::ICMP_UGT)
      return known(Left, Right) ? fits(Left.smax(Right)) : any();
    if (known(Left, Right) || (Left.isFullSet() && Right.isFullSet()))
      return either(Limit ? upTo(Limit->getValue()) : any(),
                    known(Left, Right) ? fits(Left.smin(Right)) : any());
    const ConstantRange &Number = Left.isFullSet() ? Right : Left;
    const bool Counted = isCounted(Left.isFullSet() ? Choice.getRHS() : Choice.getLHS());
    return Counted || Number.getSignedMax().isNegative() ? any() : upTo(Number.getSignedMax());
  }

  /// A library's function tells of a failure by -1, and what gives a length by 0. What reads or writes may do
  /// so with all that it is asked for.
  ConstantRange returned(const CallBase &Call, unsigned Depth) {
    if (auto *Choice = dyn_cast<MinMaxIntrinsic>(&Call))
      return chosen(*Choice, of(Choice->getLHS(), Depth), of(Choice->getRHS(), Depth));
    if (Call.getIntrinsicID() == Intrinsic::abs)
      if (const ConstantRange Of = of(Call.getArgOperand(0), Depth); !Of.isFullSet())
        return Of.abs();
    const Function *Callee = calledFunction(Call);
    if (isa<IntrinsicInst>(Call) || !Callee || !(Callee->isDeclaration() || rowOf(Call)))
      return any();
    const APInt Least(Bits, givesLength(Callee->getName()) ? 0 : -1, true);
    const auto Limit = resultLimit(Call);
    const ConstantRange Most = Limit ? of(Limit->Most, Depth) : any();
    return Most.isFullSet() ? ConstantRange(Least) : either(ConstantRange(Least), Most);
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

  /// The numbers that conditions on the way there compare. Where a loop ends, it may have ended before.
  SmallVector<const Value *, 8> compared(bool AlsoEnds) const {
    SmallVector<const Value *, 8> All;
    const DomTreeNode *Node = At ? Facts.Tree.getNode(At->getParent()) : nullptr;
    for (unsigned Steps = 0; Node && Node->getIDom() && Steps < 64; ++Steps) {
      Node = Node->getIDom();
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
      if (!Test || !isa<ConstantInt>(Test->getOperand(1)) || (!AlsoEnds && endsLoop(*Branch)))
        continue;
      const Value *V = Test->getOperand(0);
      while (isa<ZExtInst, SExtInst>(V))
        V = cast<Instruction>(V)->getOperand(0);
      All.push_back(V);
    }
    return All;
  }

  bool endsLoop(const BranchInst &Branch) const {
    const Loop *L = Facts.Loops.getLoopFor(Branch.getParent());
    return L && L->isLoopExiting(Branch.getParent());
  }

  /// The same computed twice, of the same.
  static bool isComputedAlike(const Value &A, const Value &B) {
    auto *Left = dyn_cast<Instruction>(&A);
    auto *Right = dyn_cast<Instruction>(&B);
    return Left && Right && Left->isIdenticalTo(Right) && !Left->mayReadOrWriteMemory() &&
           !isa<PHINode>(Left);
  }

  /// By the conditions on other numbers, of which this one is made by sums and products.
  ConstantRange testedBeside(const Value &V) const {
    if (isa<Constant>(V) || !Facts.Evolution.isSCEVable(V.getType()))
      return any();
    const Line Here = lineOf(Facts.Evolution, V);
    std::optional<std::int64_t> Low, High;
    for (const Value *Other : compared(false)) {
      if (Other == &V || Other->getType() != V.getType() || isa<Constant>(Other))
        continue;
      const Line There = isComputedAlike(*Other, V) ? Here : lineOf(Facts.Evolution, *Other);
      const ConstantRange Left = wide(possible(Other, At));
      if (There.Of != Here.Of || isa<SCEVConstant>(Here.Of) || There.Factor <= 0 || Here.Factor <= 0 ||
          Left.isFullSet() || isOfType(Left.getUnsignedMax()) || isOfType(Left.getUnsignedMax() + 1))
        continue;
      auto inLine = [&](std::int64_t N, std::int64_t Up) {
        return (N - There.Added + Up) / There.Factor * Here.Factor + Here.Added;
      };
      const std::int64_t Least = Left.getSignedMin().getSExtValue(),
                         Most = Left.getSignedMax().getSExtValue();
      if (Least >= There.Added && Least <= LargestIndex)
        Low = std::max(Low.value_or(Here.Added), inLine(Least, There.Factor - 1));
      if (Most >= There.Added && Most <= LargestIndex)
        High = std::min(High.value_or(LargestIndex), inLine(Most, 0));
    }
    // An index is not below zero where none says how far below.
    const std::int64_t First = Low.value_or(High ? std::max<std::int64_t>(Here.Added, 0) : 0);
    if ((!Low && !High) || High.value_or(First) < First)
      return any();
    return fits({APInt(Bits, First, true), APInt(Bits, High.value_or(First) + 1, true)});
  }

  /// What the conditions on the way there, of any width, and its type let it be, in its own width.
  ConstantRange possible(const Value *V, const Instruction *Where) const {
    ConstantRange All = ConstantRange::getFull(V->getType()->getIntegerBitWidth());
    auto narrow = [&](const Value *Form) {
      const ConstantRange R =
          Facts.Ranges.getConstantRange(const_cast<Value *>(Form), const_cast<Instruction *>(Where), false);
      const ConstantRange Left = All.intersectWith(R.zextOrTrunc(All.getBitWidth()));
      All = Left.isEmptySet() ? All : Left;
    };
    if (Where)
      narrow(V);
    if (Where && !isa<Constant>(V) && Facts.Tree.isReachableFromEntry(Where->getParent()))
      for (const User *U : V->users())
        if (isa<ZExtInst, SExtInst>(U) && Facts.Tree.dominates(cast<Instruction>(U), Where))
          narrow(U);
    return All;
  }

  FunctionFacts &Facts;
  NumbersAt Held;
  const Instruction *At;
  unsigned Asked = 0;
  SmallPtrSet<const LoadInst *, 4> Reading;
  DenseMap<const PHINode *, ConstantRange> Met;
};

} // namespace

std::optional<ConstantRange> statedIndex(FunctionFacts &Facts, const GEPOperator &Gep, const Value &Index,
                                         NumbersAt Held) {
  return Stated(Facts, Gep, Held).ofIndex(Index);
}

} // namespace rdma::clang_ir
