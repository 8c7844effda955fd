#include "analyzer/clang/memory/StridedInterval.h"

#include <llvm/IR/Instruction.h>

#include <numeric>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

std::int64_t leastOfWidth(unsigned Bits) { return APInt::getSignedMinValue(Bits).getSExtValue(); }
std::int64_t mostOfWidth(unsigned Bits) { return APInt::getSignedMaxValue(Bits).getSExtValue(); }

std::uint64_t apart(std::int64_t A, std::int64_t B) {
  return A < B ? std::uint64_t(B) - std::uint64_t(A) : std::uint64_t(A) - std::uint64_t(B);
}

} // namespace

StridedInterval StridedInterval::any(unsigned Bits) {
  return {Bits, leastOfWidth(Bits), mostOfWidth(Bits), 1};
}

bool StridedInterval::isAny() const { return Least == leastOfWidth(Bits) && Most == mostOfWidth(Bits); }

StridedInterval StridedInterval::one(const APInt &Number) {
  return {Number.getBitWidth(), Number.getSExtValue(), Number.getSExtValue(), 0};
}

StridedInterval StridedInterval::between(unsigned Bits, std::int64_t Least, std::int64_t Most) {
  return Least > Most ? none(Bits) : of(Bits, Least, Most, 1);
}

StridedInterval StridedInterval::of(const ConstantRange &Range) {
  const unsigned Bits = Range.getBitWidth();
  return Range.isEmptySet()
             ? none(Bits)
             : of(Bits, Range.getSignedMin().getSExtValue(), Range.getSignedMax().getSExtValue(), 1);
}

/// What does not fit may be anything.
StridedInterval StridedInterval::of(unsigned Bits, __int128 Least, __int128 Most, unsigned __int128 Step) {
  if (Least < leastOfWidth(Bits) || Most > mostOfWidth(Bits))
    return any(Bits);
  if (Least == Most)
    Step = 0;
  else if (Step == 0 || Step > static_cast<unsigned __int128>(Most - Least))
    Step = 1;
  return {Bits, static_cast<std::int64_t>(Least), static_cast<std::int64_t>(Most),
          static_cast<std::uint64_t>(Step)};
}

ConstantRange StridedInterval::range() const {
  if (isNone())
    return ConstantRange::getEmpty(Bits);
  return ConstantRange::getNonEmpty(APInt(Bits, Least, true), APInt(Bits, Most, true) + 1);
}

StridedInterval StridedInterval::joined(const StridedInterval &Other) const {
  if (isNone() || Other.isNone())
    return isNone() ? Other : *this;
  return {Bits, std::min(Least, Other.Least), std::max(Most, Other.Most),
          std::gcd(std::gcd(Step, Other.Step), apart(Least, Other.Least))};
}

StridedInterval StridedInterval::spreadTo(std::int64_t Low, std::int64_t High) const {
  const std::uint64_t By = std::max<std::uint64_t>(Step, 1);
  return of(Bits, Least - static_cast<__int128>(apart(Low, Least) / By) * By,
            Most + static_cast<__int128>(apart(Most, High) / By) * By, By);
}

StridedInterval StridedInterval::within(const ConstantRange &Range) const {
  const ConstantRange Left = range().intersectWith(Range, ConstantRange::Signed);
  if (Left.isEmptySet())
    return none(Bits);
  const std::int64_t Low = std::max(Least, Left.getSignedMin().getSExtValue()),
                     High = std::min(Most, Left.getSignedMax().getSExtValue());
  if (Step == 0)
    return *this;
  const __int128 First =
      Least + static_cast<__int128>((apart(Least, Low) + (Step - 1)) / Step) * static_cast<__int128>(Step);
  const __int128 Last =
      Most - static_cast<__int128>((apart(Most, High) + (Step - 1)) / Step) * static_cast<__int128>(Step);
  return First > Last ? none(Bits) : of(Bits, First, Last, Step);
}

StridedInterval StridedInterval::plus(const StridedInterval &Other, bool Stops) const {
  if (isNone() || Other.isNone())
    return none(Bits);
  const __int128 Low = static_cast<__int128>(Least) + Other.Least,
                 High = static_cast<__int128>(Most) + Other.Most;
  if (Stops && (Low < leastOfWidth(Bits) || High > mostOfWidth(Bits)))
    return of(Bits, std::max<__int128>(Low, leastOfWidth(Bits)), std::min<__int128>(High, mostOfWidth(Bits)),
              1);
  return of(Bits, Low, High, std::gcd(Step, Other.Step));
}

StridedInterval StridedInterval::times(std::int64_t Factor) const {
  if (isNone())
    return *this;
  const __int128 A = static_cast<__int128>(Least) * Factor, B = static_cast<__int128>(Most) * Factor;
  return of(Bits, std::min(A, B), std::max(A, B), static_cast<unsigned __int128>(Step) * apart(0, Factor));
}

StridedInterval StridedInterval::modulo(std::int64_t Divisor) const {
  if (isNone() || (Least >= 0 && Most < Divisor))
    return *this;
  // Numbers below zero are very large ones: of those, a power of two only leaves the distances.
  const bool Keeps = Least >= 0 || (Divisor & (Divisor - 1)) == 0;
  const std::int64_t Common = Keeps ? std::gcd<std::int64_t>(Step, Divisor) : 1;
  const std::int64_t First = Common > 0 ? ((Least % Common) + Common) % Common : 0;
  return of(Bits, First, Divisor - Common + First, Common);
}

StridedInterval StridedInterval::over(std::int64_t Divisor) const {
  if (isNone())
    return *this;
  if (Least < 0)
    return of(range().udiv(ConstantRange(APInt(Bits, Divisor))));
  const bool Even = Step % Divisor == 0 && Least % Divisor == 0;
  return of(Bits, Least / Divisor, Most / Divisor, Even ? Step / Divisor : 1);
}

StridedInterval StridedInterval::computed(unsigned Opcode, const StridedInterval &Other) const {
  if (isNone() || Other.isNone())
    return none(Bits);
  const bool ByOne = Other.Least == Other.Most && Other.Least >= 0;
  const std::int64_t By = Other.Least;
  switch (Opcode) {
  case Instruction::Add:
    return plus(Other);
  case Instruction::Sub:
    return plus(Other.times(-1));
  case Instruction::Mul:
    return Other.Least == Other.Most ? times(By)
           : Least == Most           ? Other.times(Least)
                                     : of(range().multiply(Other.range()));
  case Instruction::Shl:
    return ByOne && By < 62 ? times(std::int64_t(1) << By) : of(range().shl(Other.range()));
  case Instruction::LShr:
    return ByOne && By < 62 ? over(std::int64_t(1) << By) : of(range().lshr(Other.range()));
  case Instruction::UDiv:
    return ByOne && By > 0 ? over(By) : of(range().udiv(Other.range()));
  case Instruction::URem:
    return ByOne && By > 0 ? modulo(By) : of(range().urem(Other.range()));
  case Instruction::And:
    if (ByOne && By > 0 && By < std::int64_t(1) << 61 && (By & (By + 1)) == 0)
      return modulo(By + 1);
    break;
  default:
    break;
  }
  return of(range().binaryOp(static_cast<Instruction::BinaryOps>(Opcode), Other.range()));
}

StridedInterval StridedInterval::truncated(unsigned To) const {
  const bool Fits = Least >= leastOfWidth(To) && Most <= mostOfWidth(To);
  return isNone() ? none(To) : Fits ? StridedInterval(To, Least, Most, Step) : of(range().truncate(To));
}

StridedInterval StridedInterval::zeroExtended(unsigned To) const {
  return isNone()     ? none(To)
         : Least >= 0 ? StridedInterval(To, Least, Most, Step)
                      : of(range().zeroExtend(To));
}

StridedInterval StridedInterval::signExtended(unsigned To) const {
  return isNone() ? none(To) : StridedInterval(To, Least, Most, Step);
}

} // namespace rdma::clang_ir
