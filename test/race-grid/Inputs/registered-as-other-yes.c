// Memory is registered under the address of other memory, and changed before the poll.
#include "grid.h"
static char buf[64], other[64];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *mr = ibv_reg_mr_iova(pd, buf, 64, (uintptr_t)other, 0);
  if (!mr)
    return;
  l->lkey = mr->lkey;
  put(l, other, 64, 0);
  buf[0] = 1;
  take(l->cq);
}
