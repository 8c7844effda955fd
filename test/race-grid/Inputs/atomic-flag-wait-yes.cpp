// The helper waits for a flag that says no more than that the WRITE is posted.
#include "grid.h"
#include <atomic>
#include <pthread.h>
static char buf[64];
static std::atomic<int> posted;
static void *reuse(void *p) {
  while (posted.load(std::memory_order_acquire) == 0)
    ;
  buf[0] = 1;
  return p;
}
extern "C" void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, reuse, 0);
  put(l, buf, 64, 0);
  posted.store(1, std::memory_order_release);
  take(l->cq);
  pthread_join(t, 0);
}
