// A poller sets a flag once for each completion.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int done;
static void *poller(void *p) {
  struct link *l = p;
  for (int i = 0; i < 100; i++) {
    take(l->cq);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  }
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, poller, l))
    abort();
  for (int i = 0; i < 100; i++) {
    page[0] = i;
    put(l, page, 64, 0);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
      ;
    __atomic_store_n(&done, 0, __ATOMIC_SEQ_CST);
  }
  pthread_join(t, 0);
}
