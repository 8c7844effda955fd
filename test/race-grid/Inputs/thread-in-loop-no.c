// Each of the threads writes to what was posted before they started.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static void *reuse(void *p) {
  buf[0] = 1;
  return p;
}
void run(struct link *l, int n) {
  pthread_t t;
  put(l, buf, 64, 0);
  take(l->cq);
  for (int i = 0; i < n; ++i)
    pthread_create(&t, 0, reuse, l);
}
