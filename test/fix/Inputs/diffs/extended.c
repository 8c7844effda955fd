/* The calls that build a request step by step. */
#include <infiniband/verbs.h>

static char buffer[64];

int put(struct ibv_qp_ex *qpx, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  ibv_wr_start(qpx);
  qpx->wr_id = 1;
  qpx->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(qpx, rkey, remote);
  ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)buffer, sizeof buffer);
  if (ibv_wr_complete(qpx))
    return -1;
  buffer[0]++;
  return 0;
}
