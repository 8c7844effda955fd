// A thread posts, its starter joins it and changes the buffer: joined is not completed.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static void *send_it(void *p) {
  struct link *l = p;
  put(l, buf, 64, 0);
  take(l->cq);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, send_it, l);
  pthread_join(t, 0);
  buf[0] = 1;
}
