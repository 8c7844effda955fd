// A lock that its holder may take again. It is taken on every post, mostly by the one thread that ever does,
// and costs one exchange then; whoever has to wait gives its processor away.
#pragma once

#include "runtime/device/GiveWay.h"

#include <atomic>
#include <pthread.h>

namespace rdma::device {

class OwnerLock {
public:
  void lock() {
    pthread_t Mine = pthread_self();
    if (isMine()) {
      ++Again;
      return;
    }
    for (pthread_t Nobody = 0; !Holder.compare_exchange_weak(Nobody, Mine, std::memory_order_acquire);
         Nobody = 0)
      if (Nobody)
        giveWay();
  }
  /// Without waiting; not for its holder.
  bool try_lock() {
    pthread_t Nobody = 0;
    return Holder.compare_exchange_strong(Nobody, pthread_self(), std::memory_order_acquire);
  }
  void unlock() {
    if (Again)
      --Again;
    else
      Holder.store(0, std::memory_order_release);
  }
  bool isMine() const { return Holder.load(std::memory_order_relaxed) == pthread_self(); }

private:
  std::atomic<pthread_t> Holder{0};
  unsigned Again = 0; ///< of the holder
};

} // namespace rdma::device
