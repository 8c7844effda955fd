// A queue pair is kept as a handle of a type of the own, beside one that is kept as what it is.
#include "grid.h"
static char buf[64], spare[64];
struct handle {
  int unused;
};
void run(struct link *l, struct handle *other, struct ibv_cq *second, int which) {
  struct ibv_qp *all[] = {l->qp, (struct ibv_qp *)other};
  struct link on = *l;
  on.qp = all[which & 1];
  submit(&on, IBV_WR_RDMA_WRITE, buf, 64, 0, 0);
  put(l, spare, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
