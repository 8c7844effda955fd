// The buffer is free when the promise is kept.
#include "grid.h"
#include <future>
#include <thread>
#include <utility>
static char buf[64];
static void work(struct link *l, std::promise<void> done) {
  put(l, buf, 64, 0);
  take(l->cq);
  done.set_value();
}
extern "C" void run(struct link *l) {
  std::promise<void> done;
  std::future<void> kept = done.get_future();
  std::thread worker(work, l, std::move(done));
  kept.wait();
  buf[0] = 1;
  worker.join();
}
