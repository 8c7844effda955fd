// Each thread has a flag of its own, which tells nobody; a fence between the stores and the loads of what both see.
#include "grid.h"
#include <pthread.h>
static __thread volatile int mine, last;
static volatile int left, right;
static char page[64];
static int enter(volatile int *own, volatile int *other) {
  *own = 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  mine = 1;
  int free_ = !*other && !last;
  last = mine;
  return free_;
}
static void *work(void *p) {
  if (enter(&right, &left))
    page[0] = 1;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  if (enter(&left, &right)) {
    put(l, page, 64, 0);
    take(l->cq);
  }
  pthread_join(t, 0);
}
