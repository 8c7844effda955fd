// That polling has failed is told by the sign bit, and nothing is done then.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  int n;
  put(l, buf, 64, 0);
  while ((n = ibv_poll_cq(l->cq, 1, &wc)) == 0)
    ;
  if (n >> 31)
    abort();
  buf[0] = 2;
}
