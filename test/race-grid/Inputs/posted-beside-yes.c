// The completion that is waited for may be that of a request which another thread has posted, and never waits for.
#include "grid.h"
#include <pthread.h>
static uint64_t page, other, seen;
static void *beside(void *p) {
  fetch(p, &other, 8, 0);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, beside, l);
  fetch(l, &page, 8, 0);
  take(l->cq);
  seen = page;
  pthread_join(t, 0);
}
