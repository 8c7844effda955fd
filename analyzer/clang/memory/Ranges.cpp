// Integers as sums: which values they are made of, and how far the rest can reach.
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Pointers.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Instructions.h>

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

NumberForm Pointers::formOf(const Value *Integer, const Value *From, const Instruction &At) {
  if (!Evolution.isSCEVable(Integer->getType()) || Integer->getType() != From->getType())
    return {};
  const SCEV *Sum = Evolution.getMinusSCEV(Evolution.getSCEV(const_cast<Value *>(Integer)),
                                           Evolution.getSCEV(const_cast<Value *>(From)));
  const Loop *Around = Facts.Loops.getLoopFor(At.getParent());
  return {Sum, Around && !Evolution.isLoopInvariant(Sum, Around->getOutermostLoop())};
}

/// The expression with the numbers that its loads are known to find.
static const SCEV *withKnown(const SCEV *Expression, Pointers::KnownLoads Known, ScalarEvolution &Evolution) {
  ValueToSCEVMapTy Numbers;
  struct {
    Pointers::KnownLoads Known;
    ScalarEvolution &Evolution;
    ValueToSCEVMapTy &Numbers;
    bool follow(const SCEV *Part) {
      auto *Unknown = dyn_cast<SCEVUnknown>(Part);
      auto *Load = Unknown ? dyn_cast<LoadInst>(Unknown->getValue()) : nullptr;
      if (!Load || !Load->getType()->isIntegerTy() || Load->getType()->getIntegerBitWidth() > 64)
        return true;
      if (const std::optional<std::uint64_t> Number = Known(*Load))
        Numbers[Load] = Evolution.getConstant(APInt(Load->getType()->getIntegerBitWidth(), *Number));
      return true;
    }
    bool isDone() const { return false; }
  } Visitor{Known, Evolution, Numbers};
  visitAll(Expression, Visitor);
  return Numbers.empty() ? Expression : SCEVParameterRewriter::rewrite(Expression, Evolution, Numbers);
}

Sum Pointers::decompose(const Value *Integer, KnownLoads Known) {
  Sum Result;
  if (!Evolution.isSCEVable(Integer->getType())) {
    Result.Leaves.push_back(Integer);
    return Result;
  }
  const SCEV *Expression = Evolution.getSCEV(const_cast<Value *>(Integer));
  split(Known ? withKnown(Expression, Known, Evolution) : Expression, Result, 0);
  return Result;
}

} // namespace rdma::clang_ir
