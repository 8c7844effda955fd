// The opcode comes from where anyone may write.
#include "grid.h"
static volatile enum ibv_wr_opcode how = IBV_WR_RDMA_WRITE;
static uint64_t buf;
volatile uint64_t copy;
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_WRITE, &buf, 8, 0, IBV_SEND_SIGNALED);
  copy = buf;
  take(l->cq);
}
