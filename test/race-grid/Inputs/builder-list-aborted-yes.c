// Inline data is read also for a request that is given up: from where the READ still delivers.
#include "grid.h"
static char buf[64], other[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  struct ibv_data_buf parts[2] = {{other, 8}, {buf, 8}};
  fetch(l, buf, 64, 0);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(q, l->rkey, l->far + 64);
  ibv_wr_set_inline_data_list(q, 2, parts);
  ibv_wr_abort(q);
  take(l->cq);
}
