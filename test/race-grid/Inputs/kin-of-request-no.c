// Each completion names the slot that was sent.
#include "grid.h"
static char slots[8][64];
static int busy[8];
void run(struct link *l, struct ibv_send_wr *wr, struct ibv_send_wr *next, int count) {
  struct ibv_wc wc[8];
  struct ibv_sge sge;
  struct ibv_send_wr *bad;
  for (int i = 0; i < count; i++) {
    const int at = i % 8;
    while (busy[at]) {
      int n = ibv_poll_cq(l->cq, 8, wc);
      if (n < 0)
        abort();
      for (int k = 0; k < n; k++)
        busy[wc[k].wr_id] = 0;
    }
    memset(slots[at], i, 64);
    busy[at] = 1;
    fill(l, wr, &sge, IBV_WR_RDMA_WRITE, slots[at], 64, 0, IBV_SEND_SIGNALED);
    next->wr_id = at ^ 1;
    wr->wr_id = at;
    if (ibv_post_send(l->qp, wr, &bad))
      abort();
  }
}
