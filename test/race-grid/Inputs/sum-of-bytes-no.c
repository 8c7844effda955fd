// A failed poll makes a sum with a sign smaller, and what is waited for still comes.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc[4];
  put(l, buf, 64, 0);
  put(l, buf, 64, 64);
  int8_t got = 0;
  while (got < 2)
    got += ibv_poll_cq(l->cq, 1, wc);
  buf[0] = 1;
}
