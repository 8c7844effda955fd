/* Bulk data and its header go out on two queue pairs; both are waited for, one by one, after the header has changed. */
#include <infiniband/verbs.h>
#include <stdlib.h>

struct path {
  struct ibv_qp *qp;
  uint64_t remote;
  uint32_t rkey;
};

struct channel {
  struct path bulk, control;
  struct ibv_cq *cq;
};

static uint64_t header;

static int publish(struct path *p) {
  struct ibv_sge sge = {.addr = (uintptr_t)&header, .length = sizeof header};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1}, *bad;
  wr.wr.rdma.remote_addr = p->remote;
  wr.wr.rdma.rkey = p->rkey;
  return ibv_post_send(p->qp, &wr, &bad);
}

static void await(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int count;
  while ((count = ibv_poll_cq(cq, 1, &wc)) == 0)
    ;
  if (count < 0 || wc.status != IBV_WC_SUCCESS)
    abort();
}

int advance(struct channel *c) {
  if (publish(&c->bulk))
    return -1;
  if (publish(&c->control))
    return -1;
  header++;
  await(c->cq);
  await(c->cq);
  return 0;
}
