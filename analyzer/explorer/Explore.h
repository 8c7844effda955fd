// Everything a small RDMA program can do: all final states, and whether every execution is sequentially
// consistent.
#pragma once

#include "ir/Program.h"

#include <chrono>
#include <optional>
#include <set>
#include <vector>

namespace rdma::explorer {

struct Limits {
  std::chrono::milliseconds Timeout{0}; ///< 0: none
  /// For threads that loop: how many operations and writes more than they have statements may be on the way
  /// at once.
  unsigned Unroll = 4;
  /// Partial-order reduction (analyzer/explorer/Reduction.h); off only to test it.
  bool Reduce = true;

  /// What is left of the time for a search that is one of several since Begin.
  Limits since(std::chrono::steady_clock::time_point Begin) const;
};

/// Final values of all objects of the program, by ObjectId.
using Outcome = std::vector<std::int64_t>;

struct Exploration {
  std::set<Outcome> Outcomes;
  std::uint64_t States = 0;
  bool TimedOut = false; ///< outcomes may be missing: the time was over, or the memory used up
  bool Bounded = false;  ///< some run would have needed longer queues than Limits::Unroll allows
};

/// Throws Unsupported (analyzer/explorer/Compiled.h).
Exploration explore(const Program &P, Model M, const Limits &L = {});

struct Robustness {
  /// Empty: not known. Yes is only within the bound when Bounded is set.
  std::optional<bool> Robust;
  bool Ends = false;     ///< a run was seen that ends
  bool TooLarge = false; ///< not known because more events are under way at once than can be followed
  bool Bounded = false;
  std::uint64_t States = 0;
};

/// ROBUST Def. 5 and 11 with the atomicity of remote atomics added: is every execution sequentially
/// consistent?
Robustness checkRobust(const Program &P, Model M, const Limits &L = {});

} // namespace rdma::explorer
