// The flag that the thread waits for is set in front of the completion.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char buf[64];
static atomic_int go;
static void *work(void *p) {
  while (!atomic_load(&go))
    ;
  buf[0] = 2;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  if (pthread_create(&t, NULL, work, NULL))
    abort();
  atomic_store(&go, 1);
  take(l->cq);
  pthread_join(t, NULL);
}
