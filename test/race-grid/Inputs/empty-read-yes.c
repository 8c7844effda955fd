// A READ of nothing brings no earlier WRITE into memory.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t seen;
void serve(void) {
  if (inbox[1])
    seen = inbox[0];
}
static uint64_t data = 1, flag = 1, back;
void run(struct link *a, struct link *b) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  put(a, &data, 8, 0);
  take(a->cq);
  fill(a, &wr, &sge, IBV_WR_RDMA_READ, &back, 8, 0, IBV_SEND_SIGNALED);
  wr.num_sge = 0;
  if (ibv_post_send(a->qp, &wr, &bad))
    abort();
  take(a->cq);
  put(b, &flag, 8, 8);
  take(b->cq);
}
