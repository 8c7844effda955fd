// On the way where polling fails, nothing has completed.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  int n;
  put(l, buf, 64, 0);
  do
    n = ibv_poll_cq(l->cq, 1, &wc);
  while (n == 0);
  if (n < 0) {
    return;
  }
  buf[0] = 2;
}
