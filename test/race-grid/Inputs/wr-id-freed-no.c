// CORRECTED TWIN OF: A context is freed before its completion, and the next one may lie there.
#include "grid.h"
struct ctx {
  int done;
};
static char a[64], b[64];
static void post(struct link *l, struct ctx *c, char *from) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, 64, 0, IBV_SEND_SIGNALED);
  wr.wr_id = (uintptr_t)c;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
void run(struct link *l) {
  struct ibv_wc wc;
  struct ctx *c = calloc(1, sizeof *c);
  c->done = 0;
  post(l, c, a);

  struct ctx *d = calloc(1, sizeof *d);
  d->done = 0;
  post(l, d, b);
  while (!d->done)
    if (ibv_poll_cq(l->cq, 1, &wc) == 1)
      ((struct ctx *)(uintptr_t)wc.wr_id)->done = 1;
  b[0] = 1;
}
