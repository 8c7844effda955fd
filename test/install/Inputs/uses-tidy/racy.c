#include <infiniband/verbs.h>
#include <rdma/order.h>

static char buffer[SIZE];

int send_it(struct ibv_qp *qp, struct ibv_pd *pd, uint64_t address, uint32_t key) {
  struct ibv_mr *mr = ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_sge sge = {.addr = (uintptr_t)buffer, .length = sizeof buffer, .lkey = mr->lkey};
  struct ibv_send_wr wr = {
      .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1};
  struct ibv_send_wr *bad;
  wr.wr.rdma.remote_addr = address;
  wr.wr.rdma.rkey = key;
  if (ibv_post_send(qp, &wr, &bad))
    return -1;
  buffer[0] = 2;
  return 0;
}
