// A lock in memory that several processes map, which survives the death of its holder.
//
// The word holds the id of the holder (Process.h), 0 when free. Whoever waits too long asks the kernel
// whether the holder still runs, and takes the lock over when it does not; data under the lock must therefore
// be consistent at every instant (publish with one store, last), or be put right by who takes over.
#pragma once

#include "runtime/device/GiveWay.h"
#include "runtime/device/Process.h"

#include <atomic>
#include <optional>

namespace rdma::device {

/// How a lock was got.
enum class Lock { Free, TakenOver };

class SharedLock {
public:
  Lock lock() {
    uint32_t Mine = processId();
    for (unsigned Spin = 0;; ++Spin) {
      uint32_t Free = 0;
      if (Holder.compare_exchange_weak(Free, Mine, std::memory_order_acquire))
        return Lock::Free;
      if (Spin > 64)
        giveWay();
      // On a busy machine each turn may take milliseconds.
      if (Free && Free != Mine && Spin % 64 == 63 && processGone(Free) &&
          Holder.compare_exchange_strong(Free, Mine, std::memory_order_acquire))
        return Lock::TakenOver;
    }
  }
  /// Once, without waiting; not even for this process itself.
  std::optional<Lock> tryLock() {
    uint32_t Free = 0;
    if (Holder.compare_exchange_strong(Free, processId(), std::memory_order_acquire))
      return Lock::Free;
    if (Free != processId() && processGone(Free) &&
        Holder.compare_exchange_strong(Free, processId(), std::memory_order_acquire))
      return Lock::TakenOver;
    return std::nullopt;
  }
  /// Whether tryLock is worth trying. Asks now and then whether the holder still runs.
  bool isFree() {
    uint32_t By = Holder.load(std::memory_order_relaxed);
    return By == 0 ||
           (By != processId() && Looks.fetch_add(1, std::memory_order_relaxed) % 16 == 15 && processGone(By));
  }
  void unlock() { Holder.store(0, std::memory_order_release); }
  /// Frees it for a holder that may be gone, unless somebody else has it by now.
  void unlockFor(uint32_t Pid) { Holder.compare_exchange_strong(Pid, 0, std::memory_order_release); }

private:
  std::atomic<uint32_t> Holder{0};
  std::atomic<uint32_t> Looks{0};
};
static_assert(std::atomic<uint32_t>::is_always_lock_free);

} // namespace rdma::device
