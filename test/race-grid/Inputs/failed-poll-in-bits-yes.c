// A failed poll is added to a count that is a bit-field, which ends the waiting with nothing taken.
#include "grid.h"
static char buf[8][64];
void run(struct link *l) {
  struct ibv_wc wc[8];
  struct {
    unsigned got : 12;
  } s = {0};
  for (int i = 0; i < 8; ++i)
    put(l, buf[i], 64, 64 * i);
  while (s.got < 8) {
    int n = ibv_poll_cq(l->cq, 8 - s.got, wc);
    s.got += n;
  }
  buf[3][0] = 1;
}
