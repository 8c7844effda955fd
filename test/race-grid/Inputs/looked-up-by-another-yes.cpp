// The key has changed between the two looks: what is posted is another request.
#include "grid.h"
#include <unordered_map>
static char quiet[64], loud[64];
extern "C" void run(struct link *l, long k, long n) {
  struct ibv_send_wr *bad;
  struct ibv_sge sge;
  std::unordered_map<long, ibv_send_wr> open;
  struct ibv_sge more;
  fill(l, &open[n], &more, IBV_WR_RDMA_WRITE, loud, 64, 0, IBV_SEND_SIGNALED);
  fill(l, &open[k], &sge, IBV_WR_RDMA_WRITE, quiet, 64, 0, IBV_SEND_SIGNALED);
  k = n;
  if (ibv_post_send(l->qp, &open[k], &bad))
    abort();
  loud[0]++;
  take(l->cq);
}
