// Regions in an array are deregistered when one of two requests is complete.
#include "grid.h"
static char buf[2][64];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *regions[2];
  for (int i = 0; i < 2; ++i)
    if (!(regions[i] = ibv_reg_mr(pd, buf[i], 64, IBV_ACCESS_LOCAL_WRITE)))
      abort();
  for (int i = 0; i < 2; ++i) {
    l->lkey = regions[i]->lkey;
    put(l, buf[i], 64, 0);
  }
  take(l->cq);
  for (int i = 0; i < 2; ++i)
    ibv_dereg_mr(regions[i]);
  take(l->cq);
}
