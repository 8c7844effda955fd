#include "analyzer/clang/replay/Passing.h"

#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// A number for which the comparison with the limit holds. Of the sum of a value and a constant, all above
/// the limit are a range of the value: then it is that range's end.
APInt holding(CmpInst::Predicate Is, const APInt &Limit, bool IsSum) {
  switch (Is) {
  case CmpInst::ICMP_NE:
  case CmpInst::ICMP_SGT:
    return Limit + 1;
  case CmpInst::ICMP_UGT:
    return IsSum ? APInt::getMaxValue(Limit.getBitWidth()) : Limit + 1;
  case CmpInst::ICMP_UGE:
    return IsSum ? APInt::getMaxValue(Limit.getBitWidth()) : Limit;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
    return Limit - 1;
  default:
    return Limit;
  }
}

} // namespace

std::optional<ChosenNumber> passing(const BranchInst &Branch, bool First, std::uint64_t Rather) {
  auto *Compare = dyn_cast<ICmpInst>(Branch.getCondition());
  const APInt *Limit;
  if (!Compare || !match(Compare->getOperand(1), m_APInt(Limit)) || Limit->getBitWidth() > 64)
    return std::nullopt;
  const auto Is = First ? Compare->getPredicate() : Compare->getInversePredicate();
  APInt Ahead = APInt::getZero(Limit->getBitWidth());
  const Value *Of = Compare->getOperand(0), *In;
  const APInt *Number;
  if (match(Of, m_Add(m_Value(In), m_APInt(Number))))
    Ahead = *Number, Of = In;
  while (match(Of, m_ZExtOrSExt(m_Value(In))) || match(Of, m_Trunc(m_Value(In))) ||
         match(Of, m_Freeze(m_Value(In))))
    Of = In;
  if (!isa<Argument>(Of) && !isa<CallBase>(Of) && !isa<LoadInst>(Of))
    return std::nullopt;
  const unsigned Width = Of->getType()->getScalarSizeInBits();
  const APInt Wished(Limit->getBitWidth(), Rather);
  const bool Passes =
      Width <= 64 && isUIntN(Width - 1, Rather) && ICmpInst::compare(Wished + Ahead, *Limit, Is);
  const APInt Found = Passes ? Wished : holding(Is, *Limit, !Ahead.isZero()) - Ahead;
  if (ICmpInst::compare(Found + Ahead, *Limit, Is) && Width <= 64)
    return ChosenNumber{Of, Found.zextOrTrunc(Width).getZExtValue()};
  return std::nullopt;
}

} // namespace rdma::clang_ir
