// CORRECTED TWIN OF: Each request names its context; any completion is taken for the one that is waited for.
#include "grid.h"
struct ctx {
  int done;
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
static void await(struct link *l, struct ctx *c) {
  while (!c->done) {
    struct ibv_wc wc;
    if (ibv_poll_cq(l->cq, 1, &wc) == 1)
      ((struct ctx *)(uintptr_t)wc.wr_id)->done = 1;
  }
}
void run(struct link *l) {
  struct ctx x = {0, a}, y = {0, b};
  post(l, &x);
  post(l, &y);
  await(l, &x);
  a[0] = 1;
  await(l, &y);
  b[0] = 1;
}
