// A third thread sets the flag, too, and has polled nothing.
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
static void *third(void *p) {
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return p;
}
void run(struct link *l) {
  pthread_t t, u;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l) || pthread_create(&u, 0, third, 0))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  page[0] = 1;
  pthread_join(t, 0);
}
