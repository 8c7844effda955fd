// A queue pair is changed, which does not stop it, and the region of its request is deregistered.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_mr *mr = ibv_reg_mr(pd, buf, 64, IBV_ACCESS_LOCAL_WRITE);
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS, .min_rnr_timer = 12};
  if (!mr)
    abort();
  l->lkey = mr->lkey;
  put(l, buf, 64, 0);
  if (ibv_modify_qp(l->qp, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER))
    abort();
  ibv_dereg_mr(mr);
}
