// A poller sets a flag behind the poll, and both sides use it with order.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int done;
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
    ;
  page[0] = 1;
  pthread_join(t, 0);
}
