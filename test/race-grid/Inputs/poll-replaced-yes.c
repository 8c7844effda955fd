// The program puts a function of its own in the place of the device's that polls: it takes nothing.
#include "grid.h"
static char page[64];
int none(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  wc->status = IBV_WC_SUCCESS;
  return count > 0 && cq;
}
void run(struct link *l) {
  l->cq->context->ops.poll_cq = none;
  put(l, page, 64, 0);
  take(l->cq);
  page[0] = 1;
}
