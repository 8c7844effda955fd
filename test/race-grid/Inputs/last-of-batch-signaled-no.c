// Of each batch the last request asks for a completion, and with it all are complete.
#include "grid.h"
static uint64_t page[8];
void run(struct link *l, int batch) {
  if (batch < 1)
    batch = 1;
  for (int round = 0; round < 100; round++) {
    page[0] = round;
    for (int i = 0; i < batch; i++)
      submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, i == batch - 1 ? IBV_SEND_SIGNALED : 0);
    take(l->cq);
  }
}
