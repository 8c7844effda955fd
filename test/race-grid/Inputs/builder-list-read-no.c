// The READ has delivered before the list of inline data is read.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  struct ibv_data_buf parts[2] = {{buf, 32}, {buf + 32, 32}};
  fetch(l, buf, 64, 0);
  take(l->cq);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(q, l->rkey, l->far + 64);
  ibv_wr_set_inline_data_list(q, 2, parts);
  ibv_wr_complete(q);
  take(l->cq);
}
