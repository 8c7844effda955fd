// A poller takes the completion of another queue, and sets the flag.
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
void run(struct link *l, struct link *k) {
  pthread_t t;
  put(l, page, 64, 0);
  put(k, other, 64, 64);
  if (pthread_create(&t, 0, poller, k))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
  pthread_join(t, 0);
}
