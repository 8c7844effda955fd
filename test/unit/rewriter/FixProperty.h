// What must be true of every fix, for random litmus programs.
#pragma once

#include "RandomProgram.h"

#include <optional>

namespace rdma::test {

/// The plan of a program that is not robust: the fixed one is robust by the conditions and by the explorer,
/// it has the outcomes of the original under sequential consistency (so it ends wherever that ended; where
/// the original waits for a request without a completion, perhaps more), and with few candidates the cost is
/// that of the best of all choices, or no choice fixes it. Both models.
std::optional<std::string> fixIsSound(const RandomProgram &P);

/// What a run has looked at. Programs count once for each model.
struct FixTally {
  std::uint64_t Programs = 0, Broken = 0, Fixed = 0, Unfixable = 0;
  std::uint64_t Explored = 0;  ///< fixed, and the explorer answered within its time
  std::uint64_t Compared = 0;  ///< cost compared with all choices
  std::uint64_t Confirmed = 0; ///< unfixable, and no choice of all fixes it, or not all at once
  std::uint64_t Combined = 0;  ///< a round more than the first was needed
  double Cost = 0, Naive = 0;
};
extern FixTally FixesSeen;
std::string describe(const FixTally &T);

} // namespace rdma::test
