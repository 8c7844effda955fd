// A thread that is begun while a request is out waits on a condition variable until the completion is taken.
// REMARK: thread 'work' may wait here for what 'run' does behind this
#include "grid.h"
#include <condition_variable>
#include <mutex>
#include <pthread.h>
static char buf[64];
static std::mutex m;
static std::condition_variable changed;
static bool go;
static void *work(void *p) {
  std::unique_lock<std::mutex> held(m);
  changed.wait(held, [] { return go; });
  buf[0] = 2;
  return p;
}
static void let_go() {
  std::lock_guard<std::mutex> held(m);
  go = true;
  changed.notify_one();
}
extern "C" void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  if (pthread_create(&t, nullptr, work, nullptr))
    abort();
  take(l->cq);
  let_go();
  pthread_join(t, nullptr);
}
