// The request is given its own buffer in the first round only: after that all use one.
#include "grid.h"
enum { window = 4 };
static char buf[window][64];
void run(struct link *l) {
  struct ibv_send_wr wr[window], *bad;
  struct ibv_sge sge[window];
  int n = rand(), out = 0;
  for (int i = 0; i < n; ++i) {
    int at = i % window;
    if (out++ == window) {
      take(l->cq);
      --out;
    }
    memset(buf[at], i, 64);
    fill(l, &wr[at], &sge[at], IBV_WR_RDMA_WRITE, buf[0], 64, 0, IBV_SEND_SIGNALED);
    if (i == 0)
      sge[at].addr = (uintptr_t)buf[at];
    if (ibv_post_send(l->qp, &wr[at], &bad))
      abort();
  }
}
