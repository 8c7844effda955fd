// What the counting of a program may cost.
#pragma once

#include <cstdint>
#include <ctime>
#include <z3++.h>

namespace rdma::clang_ir {

/// Counted in the solver's own steps, so that a busy or slow machine gives the same verdicts; and in
/// processor time, as there are questions of which a step takes ten times as long as of others.
class Budget {
public:
  /// Steps: eight million are some eight seconds, mostly.
  explicit Budget(std::uint64_t Steps = 8'000'000, std::clock_t Seconds = 20)
      : Left(Steps), Until(std::clock() + Seconds * CLOCKS_PER_SEC) {}
  /// Can the formula of the solver be satisfied? Unknown: not settled within the steps of one question.
  z3::check_result ask(z3::solver &Solver);
  /// Nothing more is concluded.
  bool spent() const { return Left == 0 || std::clock() > Until; }

private:
  std::uint64_t Left;
  std::clock_t Until;
};

} // namespace rdma::clang_ir
