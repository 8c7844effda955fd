// A failed poll makes a sum without a sign larger than what is waited for.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc[4];
  put(l, buf, 64, 0);
  put(l, buf, 64, 64);
  unsigned got = 0;
  while (got < 2)
    got += ibv_poll_cq(l->cq, 1, wc);
  buf[0] = 1;
}
