// The flag begins as what the thread waits for.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char buf[64];
static atomic_int shut;
static void *work(void *p) {
  while (atomic_load(&shut))
    ;
  buf[0] = 2;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  if (pthread_create(&t, NULL, work, NULL))
    abort();
  take(l->cq);
  atomic_store(&shut, 0);
  pthread_join(t, NULL);
}
