// The completions of one kind are counted for those of another.
#include "grid.h"
static void put_named(struct link *l, void *from, uint32_t length, uint64_t id) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, from, length, 0, IBV_SEND_SIGNALED);
  wr.wr_id = id;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
enum { BODY = 1, INDEX = 2 };
static char body[4][256], entry[64];
void run(struct link *l, int rounds) {
  struct ibv_wc wc[16];
  for (int r = 0; r < rounds; r++) {
    int bodies = 0, entries = 0;
    for (int i = 0; i < 4; i++) {
      memset(body[i], r, sizeof body[i]);
      put_named(l, body[i], sizeof body[i], BODY);
    }
    memset(entry, r, sizeof entry);
    put_named(l, entry, sizeof entry, INDEX);
    while (bodies < 4 || entries < 1) {
      int ne = ibv_poll_cq(l->cq, 16, wc);
      if (ne < 0)
        abort();
      for (int i = 0; i < ne; i++) {
        if (wc[i].status != IBV_WC_SUCCESS)
          abort();
        switch (wc[i].wr_id) {
        case BODY:
          bodies++;
          break;
        case INDEX:
          entries++;
          break;
        default:
          abort();
        }
      }
    }
  }
}
