#include "runtime/device/Presence.h"

#include "runtime/device/Service.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rdma::device {

bool Presence::Registered = false;

bool Presence::join() {
  Registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return Registered;
}

void Presence::awaitAll(SharedSegment &Segment, uint32_t EndOfQueuePairs) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Segment.MakesBarriers)
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
  auto Limit = Clock::now() + std::chrono::seconds(5);
  for (uint32_t I = 0; I < EndOfQueuePairs; ++I) {
    std::atomic<uint32_t> &Present = Segment.QueuePairs[I].Present;
    for (uint32_t Look = 1, Who; (Who = Present.load(std::memory_order_acquire)) && Clock::now() < Limit;
         ++Look) {
      if (Look % 16 == 0 && processGone(Who) && Present.compare_exchange_strong(Who, 0))
        break;
      sched_yield();
    }
  }
}

} // namespace rdma::device
