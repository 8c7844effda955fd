// A branch chooses kind, place and buffer of a request: what a READ brings is read before it is there.
#include "grid.h"
static char in[64], out[64];
static void go(struct link *l, int tag) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  memset(&sge, 0, sizeof sge);
  sge.length = 64;
  sge.lkey = l->lkey;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.rkey = l->rkey;
  if (tag == 1) {
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = l->far;
    sge.addr = (uintptr_t)out;
  } else {
    wr.opcode = IBV_WR_RDMA_READ;
    wr.wr.rdma.remote_addr = l->far + 64;
    sge.addr = (uintptr_t)in;
  }
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
char seen;
void run(struct link *l, int tag) {
  go(l, tag);
  seen = in[0];
  take(l->cq);
}
