// The link of the emulated card: how long a request takes from its post, when the run has asked for a
// latency, a bandwidth or a jitter.
//
// A request is carried out when its bytes have left after those before it, at the bandwidth, and the latency
// and a part of the jitter have gone by. Within a queue pair requests stay in order. A thread that polls
// carries out what is due itself; the service thread does it for those that sleep.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device::link {

/// One of the three was asked for.
bool isSlow();
/// When a request that is posted now is to be carried out. The caller holds the lock of the queue pair.
Clock::time_point readyAt(QueuePair &Qp, const Request &R);
/// A queue pair waits until then.
void note(Clock::time_point Ready);
inline constexpr int64_t Never = INT64_MAX;
/// The first time at which something is due, since the clock's epoch.
inline std::atomic<int64_t> NextDue{Never};
void carryOutDue();
/// Carries out what is due, of every queue pair of the process.
inline void progress() {
  if (NextDue.load(std::memory_order_relaxed) != Never) [[unlikely]]
    carryOutDue();
}

} // namespace rdma::device::link
