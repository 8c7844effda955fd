// A queue pair that has been reset accesses nothing any more; one that is only in error has requests to flush.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  struct ibv_qp_attr a;
  memset(&a, 0, sizeof a);
  put(l, page, 64, 0);
  a.qp_state = IBV_QPS_RESET;
  if (ibv_modify_qp(l->qp, &a, IBV_QP_STATE))
    abort();
  page[0] = 1;
}
