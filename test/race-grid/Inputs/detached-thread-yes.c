// A detached thread is started while the NIC may still be reading, and changes the buffer.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static void *reuse(void *p) {
  buf[0] = 1;
  return p;
}
void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  pthread_create(&t, 0, reuse, 0);
  pthread_detach(t);
  take(l->cq);
}
