// A thread that a constructor function starts changes the buffer.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static long beats;
static void *beat(void *x) {
  for (;;)
    buf[0]++;
  return x;
}
__attribute__((constructor)) static void boot(void) {
  pthread_t t;
  pthread_create(&t, 0, beat, 0);
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
