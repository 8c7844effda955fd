// Every request leaves a completion on this queue pair: two for two, though only one asks for it.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_WRITE, a, 64, 0, 0);
  submit(l, IBV_WR_RDMA_WRITE, b, 64, 64, IBV_SEND_SIGNALED);
  take(l->cq);
  b[0] = 1;
}
