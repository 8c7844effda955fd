// The buffer of a READ is read when the poller has said that it looks.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int done;
static void *poller(void *p) {
  struct link *l = p;
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  fetch(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  put(l, page + 8, 8, page[0] & 0xff);
  take(l->cq);
  pthread_join(t, 0);
}
