// Twelve rounds under a window of which every fourth completes; it is one larger than the ring.
#include "grid.h"
static char ring[8][64];
void run(struct link *l) {
  int posted = 0, done = 0;
  struct ibv_wc wc[4];
  for (int i = 0; i < 12; i++) {
    while (posted - done >= 9) {
      int n = ibv_poll_cq(l->cq, 4, wc);
      if (n < 0)
        abort();
      done += 4 * n;
    }
    ring[posted % 8][0] = i;
    submit(l, IBV_WR_RDMA_WRITE, ring[posted % 8], 64, 0, posted % 4 == 3 ? IBV_SEND_SIGNALED : 0);
    posted++;
  }
}
