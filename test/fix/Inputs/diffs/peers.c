/* One buffer to three peers; the program waits for all of them, only after it has changed the buffer. */
#include <infiniband/verbs.h>
#include <stdlib.h>

enum { PEERS = 3 };

struct peer {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  uint64_t remote;
  uint32_t rkey;
};

static uint64_t epoch;

static int publish(struct peer *p) {
  struct ibv_sge sge = {.addr = (uintptr_t)&epoch, .length = sizeof epoch};
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

int advance(struct peer *peers) {
  for (int i = 0; i < PEERS; i++)
    if (publish(&peers[i]))
      return -1;
  epoch++;
  /* All of them. */
  for (int i = 0; i < PEERS; i++)
    await(peers[i].cq);
  return 0;
}
