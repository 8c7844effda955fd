// What is stored is no address.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t scratch[2], seen;
void serve(void) {
  if (inbox[1] == 1)
    seen = inbox[0];
}
struct far {
  uint64_t inbox, scratch, spare;
};
static uint64_t data = 7, flag = 1;
static void write_to(struct link *l, const uint64_t *from, uint64_t to) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, 8, 0, IBV_SEND_SIGNALED);
  wr.wr.rdma.remote_addr = to;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
void run(struct link *a, struct link *b, struct far *f, struct far *g) {
  g->spare = data;
  write_to(a, &data, f->scratch);
  write_to(b, &flag, f->inbox + 8);
}
