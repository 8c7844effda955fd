// Numbers between two bounds, at equal distances: what an integer can be.
#pragma once

#include <llvm/IR/ConstantRange.h>

#include <cstdint>
#include <optional>

namespace rdma::clang_ir {

/// The numbers Least, Least + Step, ... up to Most, with a sign, of Bits bits (64 at most). Step is 0 where
/// there is one number only. Each operation gives all numbers that can come of those that its operands stand
/// for, as the hardware computes them; none come of none.
class StridedInterval {
public:
  static StridedInterval none(unsigned Bits) { return {Bits, 1, 0, 0}; }
  static StridedInterval any(unsigned Bits);
  static StridedInterval one(const llvm::APInt &Number);
  static StridedInterval between(unsigned Bits, std::int64_t Least, std::int64_t Most);
  static StridedInterval of(const llvm::ConstantRange &Range);

  unsigned bits() const { return Bits; }
  bool isNone() const { return Least > Most; }
  bool isAny() const;
  std::int64_t least() const { return Least; }
  std::int64_t most() const { return Most; }
  llvm::ConstantRange range() const;
  bool operator==(const StridedInterval &) const = default;

  /// Either one of the numbers of the one, or of the other.
  StridedInterval joined(const StridedInterval &Other) const;
  /// As many more of them as there are between these bounds.
  StridedInterval spreadTo(std::int64_t Least, std::int64_t Most) const;
  /// Of these, those in the range.
  StridedInterval within(const llvm::ConstantRange &Range) const;

  /// Stops: no sum is beyond the type, else it may be anything then.
  StridedInterval plus(const StridedInterval &Other, bool Stops = false) const;
  StridedInterval times(std::int64_t Factor) const;
  StridedInterval modulo(std::int64_t Divisor) const; ///< without sign; the divisor is above 0
  StridedInterval over(std::int64_t Divisor) const;   ///< without sign; the divisor is above 0
  StridedInterval computed(unsigned Opcode, const StridedInterval &Other) const;
  StridedInterval truncated(unsigned To) const;
  StridedInterval zeroExtended(unsigned To) const;
  StridedInterval signExtended(unsigned To) const;

private:
  StridedInterval(unsigned Bits, std::int64_t Least, std::int64_t Most, std::uint64_t Step)
      : Bits(Bits), Least(Least), Most(Most), Step(Step) {}
  static StridedInterval of(unsigned Bits, __int128 Least, __int128 Most, unsigned __int128 Step);

  unsigned Bits;
  std::int64_t Least, Most;
  std::uint64_t Step;
};

} // namespace rdma::clang_ir
