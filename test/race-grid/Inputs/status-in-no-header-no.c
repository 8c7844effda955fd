// A completion is filled with ones, which no header lists as a status; where they still are, nothing has come.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  struct ibv_wc wc;
  put(l, page, 64, 0);
  memset(&wc, 0xff, sizeof wc);
  int n = ibv_poll_cq(l->cq, 1, &wc);
  if (n < 0)
    abort();
  if (n && wc.status < 64)
    return;
  take(l->cq);
  if (wc.status > 2000)
    page[0] = 1;
}
