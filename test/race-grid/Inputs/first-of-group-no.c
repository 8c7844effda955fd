// CORRECTED TWIN OF: The first of each group is waited for, and the ring is shorter than a group.
#include "grid.h"
static uint64_t ring[4][8];
void run(struct link *l, int count) {
  for (int i = 0; i < count; i++) {
    const unsigned flags = i % 4 == 0 ? IBV_SEND_SIGNALED : 0;
    ring[i % 4][0] = i;
    submit(l, IBV_WR_RDMA_WRITE, ring[i % 4], 64, 0, flags);
    if (i % 4 == 0)
      take(l->cq);
  }
}
