// With a fence before pthread_once, the stores are seen.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static int x, y, z;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void set(void) { z = 1; }
static void *other(void *p) {
  y = 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  pthread_once(&once, set);
  return x ? p : 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, other, l))
    abort();
  x = 1;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  pthread_once(&once, set);
  if (y)
    put(l, buf, 64, 0), take(l->cq);
  pthread_join(t, 0);
}
