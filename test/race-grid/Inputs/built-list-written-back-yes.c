// A list built by ibv_wr_*: the WRITE sends what the READ in front of it may not have delivered yet.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  for (int round = 0; round < 100; ++round) {
    ibv_wr_start(q);
    q->wr_flags = 0;
    ibv_wr_rdma_read(q, l->rkey, l->far);
    ibv_wr_set_sge(q, l->lkey, (uintptr_t)page, 64);
    q->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(q, l->rkey, l->far + 64);
    ibv_wr_set_sge(q, l->lkey, (uintptr_t)page, 64);
    if (ibv_wr_complete(q))
      abort();
    take(l->cq);
  }
}
