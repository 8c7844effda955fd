// What is posted before a latch is counted down is changed behind it.
#include "grid.h"
#include <latch>
#include <thread>
static char buf[64];
static std::latch done{1};
static void reuse() {
  done.wait();
  buf[0]++;
}
extern "C" void run(struct link *l) {
  std::thread t(reuse);
  put(l, buf, 64, 0);
  take(l->cq);
  done.count_down();
  t.join();
}
