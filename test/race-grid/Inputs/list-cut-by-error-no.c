// When the post fails, those before the bad request have been posted.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  struct ibv_sge sge[2] = {{(uintptr_t)a, 64, 0}, {(uintptr_t)b, 64, 0}};
  struct ibv_send_wr wr[2], *bad;
  memset(wr, 0, sizeof wr);
  for (int i = 0; i < 2; ++i) {
    wr[i].opcode = IBV_WR_RDMA_WRITE;
    wr[i].send_flags = IBV_SEND_SIGNALED;
    wr[i].sg_list = &sge[i];
    wr[i].num_sge = 1;
    wr[i].wr.rdma.remote_addr = l->far + 64 * i;
  }
  wr[0].next = &wr[1];
  if (ibv_post_send(l->qp, wr, &bad)) {
    return;
  }
  take(l->cq);
  take(l->cq);
  a[0] = 1;
}
