// The one completion is that of the request before: nothing says that the unsignaled one is done.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_WRITE, b, 64, 64, 0);
  submit(l, IBV_WR_RDMA_WRITE, a, 64, 0, IBV_SEND_SIGNALED);
  take(l->cq);
  b[0] = 1;
}
