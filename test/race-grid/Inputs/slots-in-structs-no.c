// The busy flag of a slot is cleared by the completion of another.
#include "grid.h"
static void put_named(struct link *l, void *from, uint32_t length, uint64_t id) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, length, 0, IBV_SEND_SIGNALED);
  wr.wr_id = id;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
struct slot {
  int busy;
  char data[60];
};
static struct slot slots[8];
static void reap(struct link *l) {
  struct ibv_wc wc[16];
  int ne = ibv_poll_cq(l->cq, 16, wc);
  if (ne < 0)
    abort();
  for (int i = 0; i < ne; i++) {
    if (wc[i].status != IBV_WC_SUCCESS)
      abort();
    slots[wc[i].wr_id].busy = 0;
  }
}
void run(struct link *l, int rounds) {
  for (int i = 0; i < rounds; i++) {
    int at = i % 8;
    while (slots[at].busy)
      reap(l);
    memset(slots[at].data, i, 60);
    slots[at].busy = 1;
    put_named(l, slots[at].data, 60, at);
  }
}
