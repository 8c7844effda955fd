// Integers as sums: which values they are made of, and how far the rest can reach.
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Pointers.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

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
