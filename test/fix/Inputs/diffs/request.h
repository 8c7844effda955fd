/* What the programs of this folder post: one entry, signaled. */
#pragma once

#include <infiniband/verbs.h>

static inline int post(struct ibv_qp *qp, enum ibv_wr_opcode what, const void *local, uint32_t length,
                       uint32_t lkey, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge = {.addr = (uintptr_t)local, .length = length, .lkey = lkey};
  struct ibv_send_wr wr = {}, *bad;
  wr.opcode = what;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = remote;
  wr.wr.rdma.rkey = rkey;
  return ibv_post_send(qp, &wr, &bad);
}
