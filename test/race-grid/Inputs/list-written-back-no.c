// One list, posted and waited for again and again: the WRITE sends what the READ in front of it has delivered: it is fenced.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  for (int round = 0; round < 100; ++round) {
    struct ibv_sge sge[2];
    struct ibv_send_wr wr[2], *bad;
    fill(l, &wr[0], &sge[0], IBV_WR_RDMA_READ, page, 64, 0, 0);
    fill(l, &wr[1], &sge[1], IBV_WR_RDMA_WRITE, page, 64, 64, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
    wr[0].next = &wr[1];
    if (ibv_post_send(l->qp, wr, &bad))
      abort();
    take(l->cq);
  }
}
