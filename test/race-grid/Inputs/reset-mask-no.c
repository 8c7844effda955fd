// What is given of the state counts only if the mask asks for it.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  struct ibv_qp_attr a;
  memset(&a, 0, sizeof a);
  put(l, page, 64, 0);
  a.qp_state = IBV_QPS_RESET;
  if (ibv_modify_qp(l->qp, &a, IBV_QP_STATE | IBV_QP_PORT))
    abort();
  page[0] = 1;
}
