// Mixed operations between many processes: what the parent and the processes say to each other.
#pragma once

#include "test/load/Link.h"

#include <array>
#include <chrono>

namespace rdma::load {

inline constexpr uint32_t MaxLinks = 64; ///< of a process

struct MixedPlan {
  uint32_t Processes = 32, Links = 8, Threads = 2;
  uint64_t Operations = 100000; ///< of each link, as soon as the arguments are read
  uint64_t Seed = 1;
  std::chrono::seconds Patience{60}; ///< without any progress, on a quiet machine

  /// Who is at the other end of each link: the links of all processes, joined in pairs at random.
  std::vector<uint32_t> peers() const;
};

using Endpoints = std::array<Endpoint, MaxLinks>;
using Tallies = std::array<Tally, MaxLinks>;

/// The life of one process; returns when it is over.
void runMixedProcess(const MixedPlan &Plan, uint32_t Process, const test::Line &Parent);

} // namespace rdma::load
