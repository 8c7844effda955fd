/* All READs are posted, then all results summed: one wait before the second loop does. */
#include "request.h"

static uint64_t results[24];

int gather(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t remote, uint32_t rkey, uint64_t *sum) {
  *sum = 0;
  for (int i = 0; i < 24; i++)
    if (post(qp, IBV_WR_RDMA_READ, &results[i], sizeof results[i], mr->lkey, remote + 64u * i, rkey))
      return -1;
  for (int i = 0; i < 24; i++)
    *sum += results[i];
  return 0;
}
