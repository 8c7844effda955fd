// A region with relaxed ordering: what is written later may be there first.
// REMARK: IBV_ACCESS_RELAXED_ORDERING
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *mr =
      ibv_reg_mr(pd, buf, 64, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING);
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  take(l->cq);
}
