// A std::thread puts another function, which waits as well, in the place of the one that waits.
#include "grid.h"
#include <thread>
static uint64_t value;
static int waited;
static void wait(struct link *l) { take(l->cq); }
static void count(struct link *l) {
  take(l->cq);
  waited++;
}
static void (*settle)(struct link *) = wait;
extern "C" void run(struct link *l) {
  std::thread t([] { settle = count; });
  value = 1;
  put(l, &value, 8, 0);
  settle(l);
  value = 2;
  t.join();
}
