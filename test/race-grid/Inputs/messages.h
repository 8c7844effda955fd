// Two ends of one connection that send each other messages: an end, requests, a wait for one completion.
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct end {
  struct ibv_cq *sent, *received;
  struct ibv_qp *qp;
  uint32_t lkey;
};

// Where the peer's memory is.
struct far {
  uint64_t at;
  uint32_t rkey;
};
static struct far far;

struct ibv_context *device(void);
void meet(struct ibv_qp *qp, struct far *far); // connects, and learns where the peer's memory is

static inline struct ibv_qp *create(struct ibv_cq *sent, struct ibv_cq *received) {
  struct ibv_qp_init_attr a;
  memset(&a, 0, sizeof a);
  a.send_cq = sent;
  a.recv_cq = received;
  a.qp_type = IBV_QPT_RC;
  struct ibv_qp *qp = ibv_create_qp(ibv_alloc_pd(device()), &a);
  if (!qp)
    abort();
  return qp;
}

static inline void open_end(struct end *e) {
  memset(e, 0, sizeof *e);
  e->sent = ibv_create_cq(device(), 64, NULL, NULL, 0);
  e->received = ibv_create_cq(device(), 64, NULL, NULL, 0);
  e->qp = create(e->sent, e->received);
}

static inline void submit_to(struct ibv_qp *qp, struct end *e, enum ibv_wr_opcode opcode, const void *near,
                             uint32_t length, unsigned flags) {
  struct ibv_sge sge = {(uintptr_t)near, length, e->lkey};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = opcode;
  wr.send_flags = flags;
  wr.wr.rdma.remote_addr = far.at;
  wr.wr.rdma.rkey = far.rkey;
  if (ibv_post_send(qp, &wr, &bad))
    abort();
}

static inline void submit(struct end *e, enum ibv_wr_opcode opcode, const void *near, uint32_t length) {
  submit_to(e->qp, e, opcode, near, length, IBV_SEND_SIGNALED);
}

static inline void tell(struct end *e, const void *near, uint32_t length) {
  submit(e, IBV_WR_SEND, near, length);
}

static inline void expect(struct end *e, void *near, uint32_t length) {
  struct ibv_sge sge = {(uintptr_t)near, length, e->lkey};
  struct ibv_recv_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  if (ibv_post_recv(e->qp, &wr, &bad))
    abort();
}

static inline void take(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int n;
  do
    n = ibv_poll_cq(cq, 1, &wc);
  while (n == 0);
  if (n < 0 || wc.status != IBV_WC_SUCCESS)
    abort();
}
