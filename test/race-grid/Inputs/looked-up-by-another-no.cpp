// The request that is posted is the one that was filled, whatever its key is.
#include "grid.h"
#include <unordered_map>
static char quiet[64], loud[64];
extern "C" void run(struct link *l, long k, long n) {
  struct ibv_send_wr *bad;
  struct ibv_sge sge;
  std::unordered_map<long, ibv_send_wr> open;
  fill(l, &open[k], &sge, IBV_WR_RDMA_WRITE, quiet, 64, 0, IBV_SEND_SIGNALED);
  if (ibv_post_send(l->qp, &open[k], &bad))
    abort();
  loud[0]++;
  take(l->cq);
}
