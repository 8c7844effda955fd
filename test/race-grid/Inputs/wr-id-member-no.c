// CORRECTED TWIN OF: wr_id leads to a member, with a mark; the request found from it is the one before.
#include "grid.h"
#include <stddef.h>
struct node {
  struct node *next;
};
struct req {
  char data[64];
  int busy;
  struct node node;
};
static struct req r[8];
void run(struct link *l) {
  for (unsigned n = 0; n < 100; ++n) {
    struct req *q = &r[n & 7];
    while (q->busy) {
      struct ibv_wc wc;
      if (ibv_poll_cq(l->cq, 1, &wc) == 1) {
        struct node *node = (struct node *)(uintptr_t)(wc.wr_id & ~3ull);
        ((struct req *)((char *)node - offsetof(struct req, node)))->busy = 0;
      }
    }
    q->data[0] = (char)n;
    q->busy = 1;
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, q->data, 64, 64 * n, IBV_SEND_SIGNALED);
    wr.wr_id = (uintptr_t)&q->node | 2;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
  }
}
