// Intervals with a step: each operation against all numbers that its operands stand for.
#include "analyzer/clang/memory/StridedInterval.h"

#include <llvm/IR/Instruction.h>

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rdma::clang_ir {
namespace {

using namespace llvm;

constexpr unsigned Bits = 6;

/// The numbers of an interval, one by one, as what is not among the others of its bounds is left out by
/// `within`.
std::set<std::int64_t> numbersOf(const StridedInterval &I) {
  std::set<std::int64_t> All;
  if (!I.isNone())
    for (std::int64_t N = I.least(); N <= I.most(); ++N)
      if (!I.within(ConstantRange(APInt(I.bits(), N, true))).isNone())
        All.insert(N);
  return All;
}

class RandomIntervals : public ::testing::Test {
protected:
  std::int64_t number(std::int64_t Least, std::int64_t Most) {
    return std::uniform_int_distribution<std::int64_t>(Least, Most)(Random);
  }
  APInt anyNumber() { return APInt(Bits, number(-32, 31), true); }

  /// A few numbers at equal distances, made from their ends, and of ranges.
  StridedInterval interval() {
    StridedInterval I = StridedInterval::one(anyNumber());
    if (number(0, 3) == 0)
      return I;
    if (number(0, 2) == 0)
      return StridedInterval::of(ConstantRange::getNonEmpty(anyNumber(), anyNumber()));
    const std::int64_t Step = number(1, 6);
    const std::int64_t Most = std::min<std::int64_t>(31, I.least() + Step * number(1, 6));
    for (std::int64_t N = I.least(); N <= Most; N += Step)
      I = I.joined(StridedInterval::one(APInt(Bits, N, true)));
    return I;
  }

  void expectIn(const StridedInterval &All, const APInt &N, const char *Operation) {
    ASSERT_EQ(All.bits(), N.getBitWidth());
    EXPECT_TRUE(numbersOf(All).contains(N.getSExtValue()))
        << Operation << ": " << N.getSExtValue() << " is not in " << All.least() << ".." << All.most();
  }

  std::mt19937 Random{20261130};
};

TEST_F(RandomIntervals, HoldWhatComesOfTwoNumbers) {
  const std::pair<unsigned, APInt (*)(const APInt &, const APInt &)> Operations[] = {
      {Instruction::Add, [](const APInt &A, const APInt &B) { return A + B; }},
      {Instruction::Sub, [](const APInt &A, const APInt &B) { return A - B; }},
      {Instruction::Mul, [](const APInt &A, const APInt &B) { return A * B; }},
      {Instruction::Shl, [](const APInt &A, const APInt &B) { return A.shl(B); }},
      {Instruction::LShr, [](const APInt &A, const APInt &B) { return A.lshr(B); }},
      {Instruction::AShr, [](const APInt &A, const APInt &B) { return A.ashr(B); }},
      {Instruction::UDiv, [](const APInt &A, const APInt &B) { return A.udiv(B); }},
      {Instruction::URem, [](const APInt &A, const APInt &B) { return A.urem(B); }},
      {Instruction::SDiv, [](const APInt &A, const APInt &B) { return A.sdiv(B); }},
      {Instruction::SRem, [](const APInt &A, const APInt &B) { return A.srem(B); }},
      {Instruction::And, [](const APInt &A, const APInt &B) { return A & B; }},
      {Instruction::Or, [](const APInt &A, const APInt &B) { return A | B; }},
      {Instruction::Xor, [](const APInt &A, const APInt &B) { return A ^ B; }}};
  for (unsigned Round = 0; Round < 600; ++Round) {
    const StridedInterval A = interval(), B = interval();
    for (const auto &[Opcode, Compute] : Operations) {
      const std::set<std::int64_t> All = numbersOf(A.computed(Opcode, B));
      const bool Shifts =
          Opcode == Instruction::Shl || Opcode == Instruction::LShr || Opcode == Instruction::AShr;
      const bool Divides = Opcode == Instruction::UDiv || Opcode == Instruction::URem ||
                           Opcode == Instruction::SDiv || Opcode == Instruction::SRem;
      for (const std::int64_t Left : numbersOf(A))
        for (const std::int64_t Right : numbersOf(B))
          if (!(Shifts && (Right < 0 || Right >= Bits)) && !(Divides && Right == 0) &&
              !(Opcode == Instruction::SDiv && Left == -32 && Right == -1)) // has no result
            EXPECT_TRUE(
                All.contains(Compute(APInt(Bits, Left, true), APInt(Bits, Right, true)).getSExtValue()))
                << Instruction::getOpcodeName(Opcode) << ": " << Left << ", " << Right;
      if (HasFailure())
        FAIL() << Instruction::getOpcodeName(Opcode) << " of " << A.least() << ".." << A.most() << " and "
               << B.least() << ".." << B.most() << ", round " << Round;
    }
  }
}

TEST_F(RandomIntervals, HoldWhatComesOfOneNumber) {
  for (unsigned Round = 0; Round < 800; ++Round) {
    const StridedInterval A = interval(), B = interval();
    const std::int64_t Low = number(-32, 31), High = number(-32, 31);
    const ConstantRange Range = ConstantRange::getNonEmpty(APInt(Bits, Low, true), APInt(Bits, High, true));
    for (const std::int64_t N : numbersOf(A)) {
      const APInt Number(Bits, N, true);
      expectIn(A.truncated(4), Number.trunc(4), "trunc");
      expectIn(A.zeroExtended(9), Number.zext(9), "zext");
      expectIn(A.signExtended(9), Number.sext(9), "sext");
      expectIn(A.joined(B), Number, "joined");
      expectIn(B.joined(A), Number, "joined");
      expectIn(A.spreadTo(std::min(A.least(), Low), std::max(A.most(), High)), Number, "spread");
      if (Range.contains(Number))
        expectIn(A.within(Range), Number, "within");
    }
    ASSERT_FALSE(HasFailure()) << A.least() << ".." << A.most() << ", round " << Round;
  }
}

TEST(StridedInterval, KeepsTheStep) {
  const StridedInterval Fours = StridedInterval::one(APInt(32, 0)).joined(StridedInterval::one(APInt(32, 4)));
  const StridedInterval Far = Fours.spreadTo(0, 63);
  EXPECT_EQ(Far.most(), 60);
  EXPECT_EQ(
      Far.plus(StridedInterval::one(APInt(32, 4))).within(ConstantRange(APInt(32, 64)).inverse()).most(), 60);
  EXPECT_EQ(Far.times(3).most(), 180);
  EXPECT_EQ(Far.modulo(16).most(), 12);
  EXPECT_EQ(Far.over(4).most(), 15);
  EXPECT_TRUE(Far.within(ConstantRange(APInt(32, 5), APInt(32, 8))).isNone());
}

TEST(StridedInterval, MayBeAnyNumberWhereItDoesNotFit) {
  const StridedInterval Large = StridedInterval::between(32, 0, std::numeric_limits<std::int32_t>::max());
  EXPECT_TRUE(Large.plus(StridedInterval::one(APInt(32, 1))).isAny());
  EXPECT_TRUE(StridedInterval::any(64).times(2).isAny());
  EXPECT_FALSE(Large.within(ConstantRange(APInt(32, 0), APInt(32, 10))).plus(Large).isNone());
}

} // namespace
} // namespace rdma::clang_ir
