// Flags that are looked at one by one, and cleared by an index: that of another.
#include "grid.h"
static void put_named(struct link *l, void *from, uint64_t id) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, 8, 0, IBV_SEND_SIGNALED);
  wr.wr_id = id;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
static uint64_t left, right;
void run(struct link *l, int rounds) {
  struct ibv_wc wc;
  int busy[2] = {0, 0};
  for (int i = 0; i < rounds; i++) {
    while (busy[0])
      if (ibv_poll_cq(l->cq, 1, &wc) > 0)
        busy[1 - wc.wr_id] = 0;
    left = i;
    busy[0] = 1;
    put_named(l, &left, 0);
    while (busy[1])
      if (ibv_poll_cq(l->cq, 1, &wc) > 0)
        busy[1 - wc.wr_id] = 0;
    right = i;
    busy[1] = 1;
    put_named(l, &right, 1);
  }
}
