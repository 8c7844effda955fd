// A std::atomic_ref changes the source behind the poll.
#include "grid.h"
#include <atomic>
static int buf[16];
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  std::atomic_ref<int>(buf[4]).store(1, std::memory_order_relaxed);
}
