// A flag behind a plain pointer is looked at once.
#include "grid.h"
struct item {
  uint64_t value, more[3];
};
static void reap(struct link *l, int *busy) {
  struct ibv_wc wc[16];
  int n = ibv_poll_cq(l->cq, 16, wc);
  for (int k = 0; k < n; k++)
    busy[wc[k].wr_id] = 0;
}
static void work(struct link *l, int *busy, struct item *data, int count) {
  for (int i = 0; i < count; i++) {
    int at = i % 5;
    if (busy[at])
      reap(l, busy);
    data[at].value = i;
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, &data[at], 8, 0, IBV_SEND_SIGNALED);
    wr.wr_id = at;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
    busy[at] = 1;
  }
}
void run(struct link *l, struct item *data, int count) {
  int busy[5] = {0};
  work(l, busy, data, count);
}
