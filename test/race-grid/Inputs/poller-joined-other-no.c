// A thread is waited for that polls, beside one that polls nothing.
#include "grid.h"
#include <pthread.h>
static char page[64];
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
static void *third(void *p) {
  return p;
}
void run(struct link *l) {
  pthread_t t, u;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l) || pthread_create(&u, 0, third, 0))
    abort();
  pthread_join(t, 0);
  page[0] = 1;
}
