/* Keeps two copies of a record on other nodes, each over a connection of its own. */
#include <infiniband/verbs.h>

static char record[64];

static int put(struct ibv_qp *qp, uint32_t lkey, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge = {(uintptr_t)record, sizeof record, lkey};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.remote_addr = remote;
  wr.wr.rdma.rkey = rkey;
  return ibv_post_send(qp, &wr, &bad);
}

int mirror(struct ibv_qp *left, struct ibv_qp *right, uint32_t lkey, uint64_t left_at, uint64_t right_at, uint32_t rkey, int rounds) {
  for (int i = 0; i < rounds; i++) {
    record[0] = (char)i;
    if (put(left, lkey, left_at, rkey) || put(right, lkey, right_at, rkey))
      return -1;
  }
  return 0;
}
