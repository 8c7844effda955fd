// What it takes to order an earlier sub-event before a later one: ROBUST Fig. 5, with the remote atomics
// added.
#pragma once

#include "analyzer/core/Violation.h"

namespace rdma {

/// From cheap to dear.
enum class Remedy : std::uint8_t {
  RemoteFence, ///< a remote fence between the two, or IBV_SEND_FENCE on the later request
  MemoryFence, ///< a fence of the CPU
  Poll,        ///< poll the completion of the earlier operation before the later one
  PolledGet,   ///< a READ on the earlier operation's queue pair, polled: it pushes earlier WRITEs into memory
  Impossible   ///< nothing that stands between the two orders them
};

/// The cheapest remedy for a pair that gb does not order. Impossible when both belong to the same execution
/// of one operation, between whose sub-events nothing can stand.
Remedy cheapestRemedy(const Violation &V);

} // namespace rdma
