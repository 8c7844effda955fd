// A completion of every eighth is taken for nine.
#include "grid.h"
static void put_named(struct link *l, void *from, uint32_t length, uint64_t id) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, length, 0, IBV_SEND_SIGNALED);
  wr.wr_id = id;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
static uint64_t cells[32];
void run(struct link *l, int rounds) {
  unsigned head = 0, tail = 0;
  struct ibv_wc wc[16];
  for (int i = 0; i < rounds; i++) {
    while (head - tail >= 32) {
      int ne = ibv_poll_cq(l->cq, 16, wc);
      if (ne < 0)
        abort();
      for (int k = 0; k < ne; k++)
        tail += 9;
    }
    cells[head % 32] = i;
    submit(l, IBV_WR_RDMA_WRITE, &cells[head % 32], 8, 0, head % 8 == 7 ? IBV_SEND_SIGNALED : 0);
    head++;
  }
}
