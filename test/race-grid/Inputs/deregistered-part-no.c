// Another part of an area is deregistered while a request is out.
#include "grid.h"
static char area[128];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *head = ibv_reg_mr(pd, area, 64, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_mr *body = ibv_reg_mr(pd, area + 64, 64, IBV_ACCESS_LOCAL_WRITE);
  if (!head || !body)
    abort();
  l->lkey = body->lkey;
  fetch(l, area + 64, 64, 0);
  ibv_dereg_mr(head);
  take(l->cq);
  ibv_dereg_mr(body);
}
