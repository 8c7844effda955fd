// A WRITE with immediate data is a WRITE.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_WRITE_WITH_IMM, buf, 64, 0, IBV_SEND_SIGNALED);
  buf[0] = 1;
  take(l->cq);
}
