// The region that was chosen is deregistered before its request is complete.
#include "grid.h"
static char small[64], large[64];
void run(struct link *l, struct ibv_pd *pd, int big) {
  struct ibv_mr *a = ibv_reg_mr(pd, small, 64, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_mr *b = ibv_reg_mr(pd, large, 64, IBV_ACCESS_LOCAL_WRITE);
  if (!a || !b)
    abort();
  l->lkey = big ? b->lkey : a->lkey;
  put(l, big ? large : small, 64, 0);
  ibv_dereg_mr(big ? b : a);
  take(l->cq);
}
