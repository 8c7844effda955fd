// The completions whose ids are looked at are those of another queue.
#include "grid.h"
static void put_named(struct link *l, void *from, uint64_t id, uint64_t at) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, 8, at, IBV_SEND_SIGNALED);
  wr.wr_id = id;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
static uint64_t data[4], more;
void run(struct link *l, struct link *m, int rounds) {
  struct ibv_wc wc;
  int last = 0;
  for (int i = 1; i <= rounds; i++) {
    while (last + 4 < i) {
      if (ibv_poll_cq(m->cq, 1, &wc) > 0)
        last = wc.wr_id;
    }
    data[i % 4] = i;
    put_named(l, &data[i % 4], i, 0);
    put_named(m, &more, i, 64);
  }
}
