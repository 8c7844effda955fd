// Another queue pair than that of the request is destroyed before the region is deregistered.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct link *other, struct ibv_pd *pd) {
  struct ibv_mr *mr = ibv_reg_mr(pd, buf, 64, IBV_ACCESS_LOCAL_WRITE);
  if (!mr)
    abort();
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  if (other->qp)
    ibv_destroy_qp(other->qp);
  ibv_dereg_mr(mr);
}
