// Whether the WRITE is fenced is for another thread to say.
#include "grid.h"
#include <pthread.h>
static char old[64], fresh[64];
void run(struct link *l) {
  const int fence = IBV_SEND_FENCE;
  fetch(l, old, 64, 0);
  submit(l, IBV_WR_RDMA_WRITE, fresh, 64, 0, IBV_SEND_SIGNALED | fence);
  take(l->cq);
  take(l->cq);
}
