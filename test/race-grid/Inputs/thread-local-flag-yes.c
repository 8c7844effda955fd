// A flag of one thread, to which it leaves a pointer for the other.
#include "grid.h"
#include <pthread.h>
static __thread volatile int mine;
static volatile int *seen, yours;
static char page[64];
static void *work(void *p) {
  yours = 1;
  if (!*seen)
    page[0] = 1;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  seen = &mine;
  pthread_create(&t, 0, work, 0);
  mine = 1;
  if (!yours) {
    put(l, page, 64, 0);
    take(l->cq);
  }
  pthread_join(t, 0);
}
