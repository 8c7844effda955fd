// How many entries the request has is not known.
#include "grid.h"
static char head[16], body[64];
void run(struct link *l, int n) {
  struct ibv_sge sge[2] = {{(uintptr_t)head, 16, 0}, {(uintptr_t)body, 64, 0}};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = sge;
  wr.num_sge = n;
  wr.wr.rdma.remote_addr = l->far;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  body[0] = 1;
  take(l->cq);
}
