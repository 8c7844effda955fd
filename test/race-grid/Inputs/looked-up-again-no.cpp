// The request that was put into a hash table is the one that a second look finds there.
#include "grid.h"
#include <unordered_map>
static char quiet[64], loud[64];
static void make(struct link *l, ibv_send_wr *wr, ibv_sge *sge, char *from) {
  fill(l, wr, sge, IBV_WR_RDMA_WRITE, from, 64, 0, IBV_SEND_SIGNALED);
}
extern "C" void run(struct link *l, int k) {
  struct ibv_sge first, second;
  struct ibv_send_wr wr, *bad;
  std::unordered_map<int, ibv_send_wr> open, other;
  make(l, &wr, &first, quiet);
  open[k] = wr;
  make(l, &wr, &second, loud);
  other[k] = wr;
  if (ibv_post_send(l->qp, &open[k], &bad))
    abort();
  loud[0]++;
  take(l->cq);
}
