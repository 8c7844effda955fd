// A std::thread puts another function in the place of the one that waits.
#include "grid.h"
#include <thread>
static uint64_t value;
static void wait(struct link *l) { take(l->cq); }
static void nothing(struct link *) {}
static void (*settle)(struct link *) = wait;
extern "C" void run(struct link *l) {
  std::thread t([] { settle = nothing; });
  value = 1;
  put(l, &value, 8, 0);
  settle(l);
  value = 2;
  t.join();
}
