// A poller takes one completion of two, and sets the flag.
#include "grid.h"
#include <pthread.h>
static char page[64], other[64];
static int done;
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, other, 64, 64);
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
  pthread_join(t, 0);
}
