/* Two requests in one list: the second sends what the first fetches. */
#include <infiniband/verbs.h>

static char block[256];

int copy_over(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t from, uint64_t to, uint32_t rkey) {
  struct ibv_sge sge = {.addr = (uintptr_t)block, .length = sizeof block, .lkey = mr->lkey};
  struct ibv_send_wr put = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1};
  struct ibv_send_wr get = {.next = &put, .opcode = IBV_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1};
  struct ibv_send_wr *bad;

  get.wr.rdma.remote_addr = from;
  get.wr.rdma.rkey = rkey;
  put.wr.rdma.remote_addr = to;
  put.wr.rdma.rkey = rkey;
  return ibv_post_send(qp, &get, &bad);
}
