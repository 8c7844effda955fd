// Integers as sums: which values they are made of, and how far the rest can reach.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Pointers.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

std::pair<std::int64_t, std::int64_t> rangeOf(ScalarEvolution &Evolution, const SCEV *Expression) {
  if (!Expression->getType()->isIntegerTy())
    return {-Far, Unbounded};
  ConstantRange Range = Evolution.getSignedRange(Expression);
  if (Range.getBitWidth() > 64)
    return {-Far, Unbounded};
  std::int64_t Least = Range.getSignedMin().getSExtValue(), Most = Range.getSignedMax().getSExtValue();
  if (Least < -Far || Most > Far)
    return {-Far, Unbounded};
  return {Least, Most};
}

/// A number that wraps may come out below what it began with. An address of a block does not.
Rounds Pointers::roundsOf(const PHINode &Counter) {
  Rounds All{-Far, Unbounded};
  if (!Evolution.isSCEVable(Counter.getType()))
    return All;
  const SCEV *Value = Evolution.getSCEV(const_cast<PHINode *>(&Counter));
  std::tie(All.Least, All.Most) = rangeOf(Evolution, Value);
  auto *Steps = dyn_cast<SCEVAddRecExpr>(Value);
  if (!Steps || !Steps->isAffine() || Steps->getLoop()->getHeader() != Counter.getParent())
    return All;
  const SCEV *Step = Steps->getStepRecurrence(Evolution);
  const bool Stays = Counter.getType()->isPointerTy() || Steps->hasNoSignedWrap();
  if (Stays && Evolution.isKnownNonNegative(Step))
    All.Direction = 1;
  else if (Stays && Evolution.isKnownNonPositive(Step))
    All.Direction = -1;
  if (const auto [Least, Most] = rangeOf(Evolution, Step); All.Direction && Least == Most)
    All.Each = Most;
  auto *Count = dyn_cast<SCEVConstant>(Evolution.getConstantMaxBackedgeTakenCount(Steps->getLoop()));
  if (Count && Count->getAPInt().ult(Far))
    All.Behind = Count->getAPInt().getZExtValue();
  return All;
}

namespace {

/// Does it give a number that is never below zero: a length, a count, a time?
bool givesLength(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases("strlen", "strnlen", "wcslen", "strspn", "strcspn", "fread", "fwrite", true)
      .Cases("rand", "random", "lrand48", "rand_r", "time", "clock", true)
      .Default(false);
}

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
    const ConstantRange Possible = possible(V), Tested = tested(V, Possible);
    auto *I = dyn_cast<Instruction>(V);
    if (!I)
      return Tested;
    auto *Phi = dyn_cast<PHINode>(I);
    return within(either(Tested, Phi ? met(*Phi, Depth + 1) : computed(*I, Depth + 1)), Possible);
  }

private:
  static constexpr unsigned Bits = 64;
  /// Larger numbers are no index that anybody states.
  static constexpr std::int64_t Largest = 1 << 24;

  static ConstantRange any() { return ConstantRange::getFull(Bits); }
  static ConstantRange fits(const ConstantRange &R) {
    return R.getSignedMin().sge(-Largest) && R.getSignedMax().sle(Largest) ? R : any();
  }
  static ConstantRange upTo(const APInt &Most) {
    return Most.ult(Largest) ? ConstantRange(APInt(Bits, 0), Most.zextOrTrunc(Bits) + 1) : any();
  }

  static ConstantRange either(const ConstantRange &A, const ConstantRange &B) {
    return A.isFullSet() ? B : B.isFullSet() ? A : A.unionWith(B, ConstantRange::Signed);
  }
  /// What tests leave of what may come.
  static ConstantRange within(const ConstantRange &Said, const ConstantRange &Possible) {
    const ConstantRange Left = Said.isFullSet() ? Said : Said.intersectWith(Possible, ConstantRange::Signed);
    return Left.isEmptySet() ? any() : Left;
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
    const ConstantInt *Number = I.getNumOperands() == 2 ? dyn_cast<ConstantInt>(I.getOperand(1)) : nullptr;
    switch (I.getOpcode()) {
    case Instruction::And:
      return Number && !isOfType(Number->getValue()) ? upTo(Number->getValue()) : any();
    case Instruction::URem:
      return Number && !Number->isZero() ? upTo(Number->getValue() - 1) : any();
    case Instruction::LShr:
      return Number && Number->getValue().ult(Number->getBitWidth())
                 ? upTo(APInt::getLowBitsSet(Number->getBitWidth(),
                                             Number->getBitWidth() - Number->getZExtValue()))
                 : any();
    case Instruction::SExt:
    case Instruction::Freeze:
    case Instruction::Trunc: // of a small number
      return operand(0);
    case Instruction::Call:
    case Instruction::Invoke:
      return returned(cast<CallBase>(I), Depth);
    case Instruction::ZExt:
      return operand(0).getSignedMin().isNegative() ? any() : operand(0);
    case Instruction::Select:
      if (const ConstantInt *Most = clamp(I))
        return upTo(Most->getValue());
      return fits(of(I.getOperand(1), Depth).unionWith(of(I.getOperand(2), Depth)));
    case Instruction::Add:
      return sum(operand(0), operand(1));
    case Instruction::Or: // of numbers that have no bit in common
      return cast<PossiblyDisjointInst>(I).isDisjoint() ? sum(operand(0), operand(1)) : any();
    case Instruction::Sub:
      return known(operand(0), operand(1)) ? fits(operand(0).sub(operand(1))) : any();
    case Instruction::SRem:
      return known(operand(0), operand(1)) ? fits(operand(0).srem(operand(1))) : any();
    case Instruction::AShr:
      return known(operand(0), operand(1)) ? fits(operand(0).ashr(operand(1))) : any();
    case Instruction::Mul:
      return known(operand(0), operand(1)) ? fits(operand(0).multiply(operand(1))) : any();
    case Instruction::Shl:
      return Number && Number->getValue().ult(16) && known(operand(0), operand(1))
                 ? fits(operand(0).shl(operand(1)))
                 : any();
    default:
      return any();
    }
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
    const Function *Callee = calledFunction(Call);
    if (isa<IntrinsicInst>(Call) || !Callee || !(Callee->isDeclaration() || rowOf(Call)))
      return any();
    return ConstantRange(APInt(Bits, givesLength(Callee->getName()) ? 0 : -1, true));
  }

  /// By the conditions on the way there. An index is not below zero where none says how far below. Where none
  /// says how far above, it may be the least one.
  ConstantRange tested(const Value *V, const ConstantRange &Possible) const {
    if (!At || isa<BinaryOperator, ZExtInst, SExtInst, SelectInst>(V))
      return any();
    if (Possible.isFullSet() || isOfType(Possible.getUnsignedMax()))
      return any();
    const APInt Least = Possible.getSignedMin(), Most = Possible.getSignedMax();
    const unsigned Width = V->getType()->getIntegerBitWidth();
    const bool Below = Least.isNegative() && Least == APInt::getSignedMinValue(Width).sext(Bits);
    const bool Above = Most == APInt::getSignedMaxValue(Width).sext(Bits);
    if (Below && (Above || Most.isNegative()))
      return any();
    return fits({Below ? APInt::getZero(Bits) : Least, (Above ? Least : Most) + 1});
  }

  /// What the conditions on the way there, and its type, let it be.
  ConstantRange possible(const Value *V) const {
    if (!At)
      return any();
    const ConstantRange R =
        Facts.Ranges.getConstantRange(const_cast<Value *>(V), const_cast<Instruction *>(At), false);
    return R.isEmptySet() ? any() : R.sextOrTrunc(Bits);
  }

  /// The largest byte or word: what a cast leaves.
  static bool isOfType(const APInt &Most) { return Most == 0xff || Most == 0xffff; }

  FunctionFacts &Facts;
  const Instruction *At;
  DenseMap<const PHINode *, ConstantRange> Met;
};

/// Every way to the use goes past this end of the loop, and goes on in it: not so in the last round.
bool isBehind(const FunctionFacts &Facts, const Loop &L, const BasicBlock &End, const GEPOperator &Gep) {
  auto goesOn = [&](const BasicBlock *Used) {
    return any_of(successors(&End), [&](const BasicBlock *Next) {
      return L.contains(Next) && Facts.Tree.dominates(BasicBlockEdge(&End, Next), Used);
    });
  };
  auto *Computed = dyn_cast<Instruction>(&Gep);
  if (!Computed || Computed->getParent() != &End)
    return Computed && goesOn(Computed->getParent());
  return all_of(Gep.users(), [&](const User *U) {
    auto *Used = dyn_cast<Instruction>(U);
    return Used && Used->getParent() != &End && goesOn(Used->getParent());
  });
}

/// How often a loop comes to the use, as the ends say of which it is known in which round they are taken, if
/// no other comes before; 0: none is.
std::int64_t mostRounds(FunctionFacts &Facts, const Loop &L, const GEPOperator &Gep) {
  SmallVector<BasicBlock *, 4> Ends;
  L.getExitingBlocks(Ends);
  std::int64_t Most = 0;
  for (const BasicBlock *End : Ends)
    if (auto *Count = dyn_cast<SCEVConstant>(Facts.Evolution.getExitCount(&L, End));
        Count && Count->getAPInt().getActiveBits() <= 31) {
      const std::int64_t Rounds = Count->getAPInt().getZExtValue() + (isBehind(Facts, L, *End, Gep) ? 0 : 1);
      Most = Most == 0 ? Rounds : std::min(Most, Rounds);
    }
  return Most;
}

} // namespace

std::pair<std::int64_t, std::int64_t> indexInto(const ArrayType &Array,
                                                std::pair<std::int64_t, std::int64_t> Range,
                                                FunctionFacts &Facts, const GEPOperator &Gep,
                                                const Value *Index) {
  auto [Least, Most] = Range;
  Least = std::max<std::int64_t>(Least, 0);
  Most = std::min<std::int64_t>(Most, Array.getNumElements() - 1);
  if (const ConstantRange Said = Stated(Facts, Gep).of(Index); !Said.isFullSet()) {
    Least = std::min(Least, std::max(Range.first, Said.getSignedMin().getSExtValue()));
    Most = std::max(Most, std::min(Range.second, Said.getSignedMax().getSExtValue()));
  }
  const SCEV *Value = Facts.Evolution.isSCEVable(Index->getType())
                          ? Facts.Evolution.getSCEV(const_cast<llvm::Value *>(Index))
                          : nullptr;
  auto *Steps = dyn_cast_or_null<SCEVAddRecExpr>(Value);
  auto *First = Steps && Steps->isAffine() ? dyn_cast<SCEVConstant>(Steps->getStart()) : nullptr;
  auto *Step = First ? dyn_cast<SCEVConstant>(Steps->getStepRecurrence(Facts.Evolution)) : nullptr;
  const std::int64_t Rounds = Step ? mostRounds(Facts, *Steps->getLoop(), Gep) : 0;
  if (Rounds == 0)
    return {Least, Most};
  std::int64_t From = First->getAPInt().getSExtValue();
  std::int64_t To = From + Step->getAPInt().getSExtValue() * (Rounds - 1);
  if (std::min(From, To) < -Far || std::max(From, To) > Far)
    return {Least, Most};
  return {std::min({From, To, Least}), std::max({From, To, Most})};
}

bool isOnlyBucket(const Pointer &P) {
  constexpr unsigned MostNested = 16;
  const DIType *Type = strip(P.Base->Name.Type);
  std::int64_t Offset = P.Low;
  for (unsigned Depth = 0; P.exact() && Depth < MostNested; ++Depth) {
    auto *Outer = dyn_cast_or_null<DICompositeType>(Type);
    std::int64_t Element = Outer ? sizeOf(Outer->getBaseType()).value_or(0) : 0;
    if (!Outer || Offset < 0)
      return false;
    if (Outer->getTag() == dwarf::DW_TAG_array_type) {
      Type = strip(Outer->getBaseType());
      Offset = Element ? Offset % Element : -1;
      continue;
    }
    const DIDerivedType *Inner = nullptr;
    for (const DIDerivedType *Member : membersOf(*Outer))
      if (std::int64_t Begin = Member->getOffsetInBits() / 8;
          Begin <= Offset && Offset < Begin + sizeOf(Member->getBaseType()).value_or(0))
        Inner = Member;
    if (!Inner)
      return false;
    Offset -= Inner->getOffsetInBits() / 8;
    if (Outer->getName().starts_with("_Hashtable<") && Inner->getName() == "_M_single_bucket")
      return Offset == 0;
    Type = strip(Inner->getBaseType());
  }
  return false;
}

void Sum::add(std::int64_t Least, std::int64_t Most) {
  if (High == Unbounded || Most == Unbounded) {
    High = Unbounded;
    return;
  }
  Low += Least;
  High += Most;
}

void Pointers::split(const SCEV *Expression, Sum &Into, unsigned Depth) {
  if (Depth > 32)
    return Into.add(0, Unbounded);
  if (auto *Add = dyn_cast<SCEVAddExpr>(Expression)) {
    for (const SCEV *Operand : Add->operands())
      split(Operand, Into, Depth + 1);
    return;
  }
  if (auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Expression)) {
    split(Recurrence->getStart(), Into, Depth + 1);
    auto [Least, Most] = rangeOf(Evolution, Evolution.getMinusSCEV(Recurrence, Recurrence->getStart()));
    return Into.add(Least, Most);
  }
  if (auto *Cast = dyn_cast<SCEVPtrToIntExpr>(Expression)) {
    const SCEV *Inner = Cast->getOperand();
    if (auto *Base = dyn_cast<SCEVUnknown>(Evolution.getPointerBase(Inner))) {
      Into.Leaves.push_back(Base->getValue());
      return split(Evolution.removePointerBase(Inner), Into, Depth + 1);
    }
  }
  if (auto *Unknown = dyn_cast<SCEVUnknown>(Expression)) {
    Into.Leaves.push_back(Unknown->getValue());
    return;
  }
  auto [Least, Most] = rangeOf(Evolution, Expression);
  Into.add(Least, Most);
}

Sum Pointers::decompose(const Value *Integer) {
  Sum Result;
  if (Evolution.isSCEVable(Integer->getType()))
    split(Evolution.getSCEV(const_cast<Value *>(Integer)), Result, 0);
  else
    Result.Leaves.push_back(Integer);
  return Result;
}

} // namespace rdma::clang_ir
