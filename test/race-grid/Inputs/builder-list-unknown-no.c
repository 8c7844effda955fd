// The list of a request that is given up names a place that the READ does not deliver to.
#include "grid.h"
char buf[64];
static char own[64];
void run(struct link *l) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  struct ibv_data_buf parts[1] = {{own, 64}};
  fetch(l, buf, 64, 0);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(q, l->rkey, l->far + 64);
  ibv_wr_set_inline_data_list(q, 1, parts);
  ibv_wr_abort(q);
  take(l->cq);
}
