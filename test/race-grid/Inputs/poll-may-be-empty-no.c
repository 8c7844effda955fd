// One look at the queue may find nothing.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  put(l, buf, 64, 0);
  if (ibv_poll_cq(l->cq, 1, &wc) != 1)
    return;
  buf[0] = 1;
}
