// A function that verbs.h defines tells how large the queue is in other attributes than those that are being sent.
#include "grid.h"
static struct ibv_srq_init_attr_ex sent, other;
void run(struct link *l) {
  put(l, &sent, sizeof sent, 0);
  if (!ibv_create_srq_ex(l->qp->context, &other))
    abort();
  take(l->cq);
}
