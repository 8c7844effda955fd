// A thread that is begun while a request is out waits for a flag that begins as 1 and is cleared behind the completion.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char buf[64];
static atomic_int shut = 1;
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
