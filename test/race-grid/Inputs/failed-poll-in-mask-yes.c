// A failed poll is added to a count of which one bit is tested, which ends the waiting with nothing taken.
#include "grid.h"
static char buf[8][64];
void run(struct link *l) {
  struct ibv_wc wc[8];
  unsigned got = 0;
  for (int i = 0; i < 8; ++i)
    put(l, buf[i], 64, 64 * i);
  while (!(got & 8)) {
    int n = ibv_poll_cq(l->cq, 8 - got, wc);
    got += n;
  }
  buf[3][0] = 1;
}
