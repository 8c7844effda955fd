// A thread is waited for that has taken one completion of two.
#include "grid.h"
#include <pthread.h>
static char page[64], other[64];
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, other, 64, 64);
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  pthread_join(t, 0);
  page[0] = 1;
}
