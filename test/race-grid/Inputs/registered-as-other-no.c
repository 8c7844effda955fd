// Memory is registered under its own address, and changed behind the poll.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *mr = ibv_reg_mr_iova(pd, buf, 64, (uintptr_t)buf, 0);
  if (!mr)
    return;
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
