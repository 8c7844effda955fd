// Of a hundred requests the last asks for a completion, and with it all are complete.
#include "grid.h"
static uint64_t page[8];
void run(struct link *l, int n) {
  for (int round = 0; round < n; round++) {
    page[0] = round;
    for (int i = 0; i < 100; i++)
      submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, i == 99 ? IBV_SEND_SIGNALED : 0);
    take(l->cq);
  }
}
