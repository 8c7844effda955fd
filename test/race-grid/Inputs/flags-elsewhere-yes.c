// Whether the WRITE is fenced is for another thread to say.
#include "grid.h"
#include <pthread.h>
static char old[64], fresh[64];
static volatile int fence;
static void *tune(void *p) {
  fence = 0;
  return p;
}
void run(struct link *l) {
  fence = IBV_SEND_FENCE;
  pthread_t t;
  pthread_create(&t, 0, tune, 0);
  fetch(l, old, 64, 0);
  submit(l, IBV_WR_RDMA_WRITE, fresh, 64, 0, IBV_SEND_SIGNALED | fence);
  take(l->cq);
  take(l->cq);
}
