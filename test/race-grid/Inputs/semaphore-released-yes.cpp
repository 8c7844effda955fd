// What is posted before a semaphore is released is changed behind it.
#include "grid.h"
#include <semaphore>
#include <thread>
static char buf[64];
static std::counting_semaphore<4> done{0};
static void reuse() {
  done.acquire();
  buf[0]++;
}
extern "C" void run(struct link *l) {
  std::thread t(reuse);
  put(l, buf, 64, 0);
  done.release();
  take(l->cq);
  t.join();
}
