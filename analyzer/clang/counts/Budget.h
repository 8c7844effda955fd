// What the counting of a program may cost.
#pragma once

#include <cstdint>
#include <z3++.h>

namespace rdma::clang_ir {

/// Counted in the solver's own steps, so that a busy or slow machine gives the same verdicts.
class Budget {
public:
  /// Steps: eight million are some eight seconds.
  explicit Budget(std::uint64_t Steps = 8'000'000) : Left(Steps) {}
  /// Can the formula of the solver be satisfied? Unknown: not settled within the steps of one question.
  z3::check_result ask(z3::solver &Solver);
  /// Nothing more is concluded.
  bool spent() const { return Left == 0; }

private:
  std::uint64_t Left;
};

} // namespace rdma::clang_ir
