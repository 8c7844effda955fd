// A region that was registered elsewhere is deregistered when the request is complete.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct link *other, struct ibv_mr *mr) {
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  take(l->cq);
  ibv_dereg_mr(mr);
}
