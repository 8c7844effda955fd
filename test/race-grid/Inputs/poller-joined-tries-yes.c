// A thread is waited for that has looked at the queue once.
#include "grid.h"
#include <pthread.h>
static char page[64];
static void *poller(void *p) {
  struct link *l = p;
  struct ibv_wc wc;
  if (ibv_poll_cq(l->cq, 1, &wc) < 0)
    abort();
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  pthread_join(t, 0);
  page[0] = 1;
}
