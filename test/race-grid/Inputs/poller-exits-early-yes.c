// A thread that is waited for may end early, without a completion.
#include "grid.h"
#include <pthread.h>
static char page[64];
static void *poller(void *p) {
  struct link *l = p;
  if (l->rkey == 7)
    pthread_exit(0);
  take(l->cq);
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
