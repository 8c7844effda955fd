// What comes behind the first request of the list is not in the sources.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  struct ibv_sge sge = {.addr = (uintptr_t)a, .length = 64};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.rdma.remote_addr = l->far;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  b[0] = 1;
  take(l->cq);
}
