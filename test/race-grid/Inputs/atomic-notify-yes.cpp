// What is posted before a sleeper on an atomic is woken is changed behind it.
#include "grid.h"
#include <atomic>
#include <thread>
static char buf[64];
static std::atomic<int> done{0};
static void reuse() {
  done.wait(0);
  buf[0]++;
}
extern "C" void run(struct link *l) {
  std::thread t(reuse);
  put(l, buf, 64, 0);
  done = 1;
  done.notify_one();
  take(l->cq);
  t.join();
}
