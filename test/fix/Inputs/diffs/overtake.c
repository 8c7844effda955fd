/* A WRITE sends on what a READ brings: the flag on the WRITE is enough. */
#include <infiniband/verbs.h>

static char block[64];

int copy(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t from, uint64_t to, uint32_t rkey) {
  struct ibv_sge sge = {(uintptr_t)block, sizeof block, mr->lkey};
  struct ibv_send_wr read = {0}, write = {0}, *bad;

  read.opcode = IBV_WR_RDMA_READ;
  read.sg_list = &sge;
  read.num_sge = 1;
  read.wr.rdma.remote_addr = from;
  read.wr.rdma.rkey = rkey;
  write = read;
  write.opcode = IBV_WR_RDMA_WRITE;
  write.wr.rdma.remote_addr = to;
  write.send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(qp, &read, &bad))
    return -1;
  return ibv_post_send(qp, &write, &bad);
}
