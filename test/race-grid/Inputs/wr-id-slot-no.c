// CORRECTED TWIN OF: The slot beside the one that was looked at is taken from the pool.
#include "grid.h"
struct req {
  char data[60];
  int busy;
};
static struct req r[4];
static struct req *take_free(struct link *l) {
  for (;;) {
    struct ibv_wc wc;
    for (int i = 0; i < 4; ++i)
      if (!r[i].busy)
        return &r[i];
    if (ibv_poll_cq(l->cq, 1, &wc) == 1)
      ((struct req *)(uintptr_t)wc.wr_id)->busy = 0;
  }
}
void run(struct link *l) {
  for (unsigned n = 0; n < 100; ++n) {
    struct req *q = take_free(l);
    q->data[0] = (char)n;
    q->busy = 1;
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, q->data, 60, 64 * n, IBV_SEND_SIGNALED);
    wr.wr_id = (uintptr_t)q;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
  }
}
