// A poller has two flags; the one that is waited for says that it has begun.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int done, ready;
static void *poller(void *p) {
  struct link *l = p;
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  take(l->cq);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
  pthread_join(t, 0);
}
