// The way on which something has been taken is told, and on the other one polling has failed.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  int n;
  put(l, buf, 64, 0);
  do
    n = ibv_poll_cq(l->cq, 1, &wc);
  while (!n);
  if (n > 0)
    buf[0] = 2;
  else
    buf[0] = 1;
}
