// The source is the context of a completion queue, and changes by it before the poll.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_cq *cq = ibv_create_cq(l->qp->context, 1, buf, 0, 0);
  if (!cq)
    return;
  put(l, buf, 64, 0);
  *(char *)cq->cq_context = 1;
  take(l->cq);
}
