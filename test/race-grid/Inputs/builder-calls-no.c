// Requests built by ibv_wr_*.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(q, l->rkey, l->far);
  ibv_wr_set_sge(q, l->lkey, (uintptr_t)buf, 64);
  ibv_wr_complete(q);
  take(l->cq);
  buf[0] = 1;
}
