#include "push.h"

int push(struct outbox *box) {
  struct ibv_sge sge = {.addr = (uintptr_t)box->text, .length = 64, .lkey = box->mr->lkey};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.remote_addr = box->remote;
  wr.wr.rdma.rkey = box->rkey;
  return ibv_post_send(box->qp, &wr, &bad);
}
