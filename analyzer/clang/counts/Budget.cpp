#include "analyzer/clang/counts/Budget.h"

#include <algorithm>

namespace rdma::clang_ir {

namespace {

/// That the solver's context has taken so far, for all of its questions.
std::uint64_t stepsOf(const z3::solver &Solver) {
  const z3::stats Figures = Solver.statistics();
  for (unsigned I = 0; I < Figures.size(); ++I)
    if (Figures.key(I) == "rlimit count")
      return Figures.is_uint(I) ? Figures.uint_value(I) : static_cast<std::uint64_t>(Figures.double_value(I));
  return 0;
}

} // namespace

z3::check_result Budget::ask(z3::solver &Solver) {
  const std::uint64_t Before = stepsOf(Solver);
  z3::check_result Answer = z3::unknown;
  // What is not settled in one order of its choices may be in another.
  for (unsigned Seed : {0u, 7u})
    if (Answer == z3::unknown) {
      Solver.set("random_seed", Seed);
      Answer = Solver.check();
    }
  Left -= std::min(Left, stepsOf(Solver) - Before);
  return Answer;
}

} // namespace rdma::clang_ir
