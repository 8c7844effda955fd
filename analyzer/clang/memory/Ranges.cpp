// Integers as sums: which values they are made of, and how far the rest can reach.
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Pointers.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/BinaryFormat/Dwarf.h>

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

namespace {

/// Every way to the use goes past this end of the loop, and goes on in it: not so in the last round.
bool isBehind(const FunctionFacts &Facts, const BasicBlock &End, const GEPOperator &Gep) {
  auto *Computed = dyn_cast<Instruction>(&Gep);
  if (!Computed || Computed->getParent() != &End)
    return Computed && Facts.Tree.dominates(&End, Computed->getParent());
  return all_of(Gep.users(), [&](const User *U) {
    auto *Used = dyn_cast<Instruction>(U);
    return Used && Used->getParent() != &End && Facts.Tree.dominates(&End, Used->getParent());
  });
}

} // namespace

std::pair<std::int64_t, std::int64_t> indexInto(const ArrayType &Array,
                                                std::pair<std::int64_t, std::int64_t> Range,
                                                FunctionFacts &Facts, const GEPOperator &Gep,
                                                const Value *Index) {
  auto [Least, Most] = Range;
  Least = std::max<std::int64_t>(Least, 0);
  Most = std::min<std::int64_t>(Most, Array.getNumElements() - 1);
  const SCEV *Value = Facts.Evolution.isSCEVable(Index->getType())
                          ? Facts.Evolution.getSCEV(const_cast<llvm::Value *>(Index))
                          : nullptr;
  auto *Steps = dyn_cast_or_null<SCEVAddRecExpr>(Value);
  const BasicBlock *End = Steps && Steps->isAffine() ? Steps->getLoop()->getExitingBlock() : nullptr;
  if (!End)
    return {Least, Most};
  auto *Count = dyn_cast<SCEVConstant>(Facts.Evolution.getBackedgeTakenCount(Steps->getLoop()));
  auto *First = dyn_cast<SCEVConstant>(Steps->getStart());
  auto *Step = dyn_cast<SCEVConstant>(Steps->getStepRecurrence(Facts.Evolution));
  if (!Count || !First || !Step || Count->getAPInt().getActiveBits() > 31)
    return {Least, Most};
  std::int64_t Rounds = Count->getAPInt().getZExtValue() + (isBehind(Facts, *End, Gep) ? 0 : 1);
  std::int64_t From = First->getAPInt().getSExtValue();
  std::int64_t To = From + Step->getAPInt().getSExtValue() * (Rounds - 1);
  if (Rounds == 0 || std::min(From, To) < -Far || std::max(From, To) > Far)
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
