// Which inline data is read for a request that is given up is not known: the READ may deliver there.
#include "grid.h"
char buf[64];
void run(struct link *l, struct ibv_data_buf *parts, int many) {
  struct ibv_qp_ex *q = ibv_qp_to_qp_ex(l->qp);
  fetch(l, buf, 64, 0);
  ibv_wr_start(q);
  q->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(q, l->rkey, l->far + 64);
  ibv_wr_set_inline_data_list(q, many, parts);
  ibv_wr_abort(q);
  take(l->cq);
}
