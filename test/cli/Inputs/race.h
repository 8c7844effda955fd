#include <infiniband/verbs.h>

static char shared_buffer[64];

int send_twice(struct ibv_qp *qp, struct ibv_pd *pd, uint64_t address, uint32_t key) {
  struct ibv_mr *mr = ibv_reg_mr(pd, shared_buffer, sizeof shared_buffer, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_sge sge = {
      .addr = (uintptr_t)shared_buffer, .length = sizeof shared_buffer, .lkey = mr->lkey};
  struct ibv_send_wr wr = {
      .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1};
  struct ibv_send_wr *bad;
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = key;
  if (ibv_post_send(qp, &wr, &bad))
    return -1;
  shared_buffer[0] = 2;
  return 0;
}
