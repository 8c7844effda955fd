// A lock by a std::atomic<bool>.
#include "under-lock.h"
#include <atomic>
static std::atomic<bool> held;
static void enter(void) {
  while (held.exchange(true, std::memory_order_acquire))
    ;
}
static void leave(void) { held.store(false, std::memory_order_release); }
