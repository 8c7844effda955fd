// The fence stands on the READ; what changes the page comes behind it without one.
#include "grid.h"
static char old[64], fresh[64];
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_READ, old, 64, 0, IBV_SEND_SIGNALED);
  submit(l, IBV_WR_RDMA_WRITE, fresh, 64, 0, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
  take(l->cq);
  take(l->cq);
}
