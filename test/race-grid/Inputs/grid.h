// What the programs of the grid share: a connection, a request, a wait for one completion.
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct link {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  uint64_t far;
  uint32_t rkey, lkey;
};

/// One entry, one request.
static inline void fill(struct link *l, struct ibv_send_wr *wr, struct ibv_sge *sge,
                        enum ibv_wr_opcode opcode, const volatile void *near, uint32_t length,
                        uint64_t offset, unsigned flags) {
  memset(sge, 0, sizeof *sge);
  memset(wr, 0, sizeof *wr);
  sge->addr = (uintptr_t)near;
  sge->length = length;
  sge->lkey = l->lkey;
  wr->sg_list = sge;
  wr->num_sge = 1;
  wr->opcode = opcode;
  wr->send_flags = flags;
  wr->wr.rdma.remote_addr = l->far + offset;
  wr->wr.rdma.rkey = l->rkey;
}

static inline void submit(struct link *l, enum ibv_wr_opcode opcode, const volatile void *near,
                          uint32_t length, uint64_t offset, unsigned flags) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, opcode, near, length, offset, flags);
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}

static inline void put(struct link *l, const volatile void *from, uint32_t length, uint64_t offset) {
  submit(l, IBV_WR_RDMA_WRITE, from, length, offset, IBV_SEND_SIGNALED);
}

static inline void fetch(struct link *l, volatile void *to, uint32_t length, uint64_t offset) {
  submit(l, IBV_WR_RDMA_READ, to, length, offset, IBV_SEND_SIGNALED);
}

static inline void take(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int n;
  while ((n = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    abort();
}

// The server that nobody disturbs, unless the program has its own.
#ifndef OWN_SERVER
char inbox[4096];
#ifdef __cplusplus
extern "C"
#endif
    void
    serve(void) {
}
#endif
