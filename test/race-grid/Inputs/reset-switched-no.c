// CORRECTED TWIN OF: Whether the queue pair was reset is asked by a switch, behind a helper; a busy one is
// taken for one that was.
#include "grid.h"
#include <errno.h>
static char page[64];
static int reset(struct link *l) {
  struct ibv_qp_attr a;
  memset(&a, 0, sizeof a);
  a.qp_state = IBV_QPS_RESET;
  return l->qp ? ibv_modify_qp(l->qp, &a, IBV_QP_STATE) : 0;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  switch (reset(l)) {
  case 0:
    page[0] = 1;
    break;
  default:
    abort();
  }
}
