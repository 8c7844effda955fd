/* The number is sent from the parameter, which ends with the call. */
#include <infiniband/verbs.h>

struct peer {
  struct ibv_qp *qp;
  uint64_t remote;
  uint32_t rkey, lkey;
};

static int send_number(struct peer *to, uint64_t number) {
  struct ibv_sge sge = {(uintptr_t)&number, sizeof number, to->lkey};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.remote_addr = to->remote;
  wr.wr.rdma.rkey = to->rkey;
  return ibv_post_send(to->qp, &wr, &bad);
}

int count_to(struct peer *to, uint64_t last) {
  for (uint64_t number = 0; number < last; number++)
    if (send_number(to, number))
      return -1;
  return 0;
}
