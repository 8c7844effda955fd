// CORRECTED TWIN OF: Polled until the completion of the first request, then the buffer of the second is used.
#include "grid.h"
struct ctx {
  char *buffer;
};
static char a[64], b[64];
static void post(struct link *l, struct ctx *c) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, c->buffer, 64, 0, IBV_SEND_SIGNALED);
  wr.wr_id = (uintptr_t)c;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
void run(struct link *l) {
  static struct ctx x, y;
  x.buffer = a, y.buffer = b;
  struct ibv_wc wc = {0};
  post(l, &x);
  post(l, &y);
  do
    while (ibv_poll_cq(l->cq, 1, &wc) == 0)
      ;
  while (wc.wr_id != (uintptr_t)&y);
  b[0] = 1;
}
