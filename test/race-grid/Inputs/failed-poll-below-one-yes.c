// Where polling has failed, which is told by the result being below one, nothing has completed.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  int n;
  put(l, buf, 64, 0);
  while ((n = ibv_poll_cq(l->cq, 1, &wc)) == 0)
    ;
  if (n < 1) {
    buf[0] = 1;
    return;
  }
  buf[0] = 2;
}
