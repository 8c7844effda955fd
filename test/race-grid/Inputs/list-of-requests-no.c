// A list of requests: only the last is signaled, and the first one's buffer is changed.
#include "grid.h"
static char a[64], b[64], c[64];
void run(struct link *l) {
  struct ibv_sge sge[3] = {{(uintptr_t)a, 64, 0}, {(uintptr_t)b, 64, 0}, {(uintptr_t)c, 64, 0}};
  struct ibv_send_wr wr[3], *bad;
  memset(wr, 0, sizeof wr);
  for (int i = 0; i < 3; ++i) {
    wr[i].opcode = IBV_WR_RDMA_WRITE;
    wr[i].sg_list = &sge[i];
    wr[i].num_sge = 1;
    wr[i].wr.rdma.remote_addr = l->far + 64 * i;
    wr[i].next = i < 2 ? &wr[i + 1] : 0;
  }
  wr[2].send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(l->qp, wr, &bad))
    abort();
  take(l->cq);
  a[0] = 1;
}
