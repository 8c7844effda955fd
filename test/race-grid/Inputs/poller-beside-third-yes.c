// Two threads take two completions, and one of them tells: the other may not have taken its own.
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
static void *third(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t t, u;
  put(l, other, 64, 64);
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l) || pthread_create(&u, 0, third, l))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
  pthread_join(t, 0);
  pthread_join(u, 0);
}
