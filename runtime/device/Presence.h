// A poster that touches a target's memory says so in the target's queue pair, so that the target can wait
// until it has left a region that is going away.
//
// Posters do this for every request, a target asks once in a while. So all that a poster does is to store:
// the target makes every processor of the fabric pass a barrier before it looks (membarrier(2)). Where the
// kernel has none, the poster fences itself.
#pragma once

#include "runtime/device/Peer.h"

namespace rdma::device {

class Presence {
public:
  /// Before a key is looked up. One within another one of the same queue pair ends with that.
  Presence(Peer &Target, SharedQueuePair &There)
      : There(There), Inner(There.Present.load(std::memory_order_relaxed) == processId()) {
    There.Present.store(processId(), std::memory_order_relaxed);
    if (Registered && Target.segment().MakesBarriers)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  ~Presence() {
    if (!Inner)
      There.Present.store(0, std::memory_order_release);
  }
  Presence(const Presence &) = delete;
  Presence &operator=(const Presence &) = delete;

  /// This process takes part in barriers of others. Says whether it can make them.
  static bool join();
  /// Everybody who found a key that is gone by now has left the node of this segment. A poster that was
  /// killed is not waited for; one that is stopped is given a few seconds.
  static void awaitAll(SharedSegment &Segment, uint32_t EndOfQueuePairs);
  /// The same of one queue pair of it, before another takes its place.
  static void awaitEnd(SharedSegment &Segment, SharedQueuePair &There);
  /// The peer of this queue pair, whose message its owner has perhaps taken already, has its own completion.
  static void awaitCompletion(SharedQueuePair &Own) {
    if (Own.Present.load(std::memory_order_acquire)) [[unlikely]]
      awaitPeer(Own);
  }

private:
  static void awaitPeer(SharedQueuePair &Own);

  SharedQueuePair &There;
  bool Inner;
  static bool Registered;
};

} // namespace rdma::device
