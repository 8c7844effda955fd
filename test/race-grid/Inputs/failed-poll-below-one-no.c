// Where the result is below one behind the loop, polling has failed, and nothing is done any more.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  struct ibv_wc wc;
  int n;
  put(l, buf, 64, 0);
  while ((n = ibv_poll_cq(l->cq, 1, &wc)) == 0)
    ;
  if (n < 1) {
    return;
  }
  buf[0] = 2;
}
