// The sender takes one completion and leaves the next to a thread, whose flag it waits for.
// REMARK: takes completions; which of them it has taken when this is read is not known
#include "grid.h"
#include <pthread.h>
static char buf[64], first[64];
static int done;
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, first, 64, 64);
  take(l->cq);
  put(l, buf, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
    ;
  buf[0] = 1;
  pthread_join(t, 0);
}
