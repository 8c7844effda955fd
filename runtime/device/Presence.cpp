#include "runtime/device/Presence.h"

#include "runtime/device/GiveWay.h"
#include "runtime/device/Service.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rdma::device {

bool Presence::Registered = false;

bool Presence::join() {
  Registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return Registered;
}

namespace {

/// Whoever is present now has stored that.
void makeBarrier(const SharedSegment &Segment) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Segment.MakesBarriers)
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

void awaitLeaving(std::atomic<uint32_t> &Present, Clock::time_point Limit) {
  for (uint32_t Look = 1, Who; (Who = Present.load(std::memory_order_acquire)) && Clock::now() < Limit;
       ++Look) {
    if (isLookToAskAt(Look) && processGone(Who) && Present.compare_exchange_strong(Who, 0))
      break;
    giveWay();
  }
}

constexpr auto LongestVisit = std::chrono::seconds(5);

} // namespace

void Presence::awaitEnd(SharedSegment &Segment, SharedQueuePair &There) {
  makeBarrier(Segment);
  awaitLeaving(There.Present, Clock::now() + LongestVisit);
}

void Presence::awaitPeer(SharedQueuePair &Own) { awaitLeaving(Own.Present, Clock::now() + LongestVisit); }

void Presence::awaitAll(SharedSegment &Segment, uint32_t EndOfQueuePairs) {
  makeBarrier(Segment);
  auto Limit = Clock::now() + LongestVisit;
  for (uint32_t I = 0; I < EndOfQueuePairs; ++I)
    awaitLeaving(Segment.QueuePairs[I].Present, Limit);
}

} // namespace rdma::device
