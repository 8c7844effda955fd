// An option says how the region is registered, with remote reads or without.
#include "grid.h"
static char buf[64];
extern int readable;
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *mr =
      ibv_reg_mr(pd, buf, 64, IBV_ACCESS_LOCAL_WRITE | (readable ? IBV_ACCESS_REMOTE_READ : 0));
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
