// A fence for a signal handler orders nothing for another thread.
#include "grid.h"
#include <atomic>
static volatile uint64_t a, b, seen_a, seen_b;
static void order() { std::atomic_thread_fence(std::memory_order_seq_cst); }
extern "C" void run(struct link *l) {
  a = 1;
  order();
  seen_b = b;
  put(l, &seen_b, 8, 0);
}
extern "C" void beside() {
  b = 1;
  order();
  seen_a = a;
}
