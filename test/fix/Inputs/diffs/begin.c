/* The buffer is filled again where the next request has begun to be built, and nothing else may be posted. */
#include <infiniband/verbs.h>

static uint64_t buffer[8];

static void begin(struct ibv_qp_ex *qpx, uint64_t id) {
  ibv_wr_start(qpx);
  qpx->wr_id = id;
  qpx->wr_flags = IBV_SEND_SIGNALED;
}

int put(struct ibv_qp_ex *qpx, struct ibv_mr *mr, uint64_t remote, uint32_t rkey, uint64_t value) {
  begin(qpx, value);
  buffer[0] = value;
  ibv_wr_rdma_write(qpx, rkey, remote);
  ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)buffer, sizeof buffer);
  return ibv_wr_complete(qpx);
}

int put_all(struct ibv_qp_ex *qpx, struct ibv_mr *mr, uint64_t remote, uint32_t rkey, int count) {
  for (int i = 0; i < count; i++)
    if (put(qpx, mr, remote, rkey, i))
      return -1;
  return 0;
}
