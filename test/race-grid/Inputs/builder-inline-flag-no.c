// ibv_wr_set_inline_data has read the data when it returns.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
  ibv_wr_rdma_write(q, l->rkey, l->far);
  ibv_wr_set_inline_data(q, buf, 64);
  ibv_wr_complete(q);
  buf[0] = 1;
  take(l->cq);
}
