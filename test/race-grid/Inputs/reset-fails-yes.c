// The page is written where the reset has failed, too.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  struct ibv_qp_attr a;
  memset(&a, 0, sizeof a);
  put(l, page, 64, 0);
  a.qp_state = IBV_QPS_RESET;
  int status = ibv_modify_qp(l->qp, &a, IBV_QP_STATE);
  if (status == 0 || l->rkey == 0)
    page[0] = 1;
}
