// A lock by a std::atomic<bool>, which the thread opens that waits too long.
#include "under-lock.h"
#include <atomic>
static std::atomic<bool> held;
static void enter(void) {
  for (int i = 0; held.exchange(true, std::memory_order_acquire); ++i)
    if (i == 1000)
      held.store(false, std::memory_order_release);
}
static void leave(void) { held.store(false, std::memory_order_release); }
