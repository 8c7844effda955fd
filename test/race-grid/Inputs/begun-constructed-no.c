// A constructor sets another word than the flag that the thread waits for.
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
static int built;
__attribute__((constructor)) static void build(void) { built = 1; }
void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  if (pthread_create(&t, NULL, work, NULL))
    abort();
  take(l->cq);
  atomic_store(&go, 1);
  pthread_join(t, NULL);
}
