// The program has a function that polls nothing, and leaves the device's in place.
#include "grid.h"
static char page[64];
int none(struct ibv_cq *cq, int count, struct ibv_wc *wc) {
  wc->status = IBV_WC_SUCCESS;
  return count > 0 && cq;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  take(l->cq);
  page[0] = 1;
}
