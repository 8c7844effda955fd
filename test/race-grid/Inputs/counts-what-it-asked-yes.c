// Each poll is counted as if it had taken all that it asked for.
#include "grid.h"
static int reap(struct link *l, int most) {
  struct ibv_wc wc[8];
  int n = ibv_poll_cq(l->cq, most, wc);
  if (n < 0)
    abort();
  return n;
}
static char ring[4][64];
void run(struct link *l) {
  int out = 0;
  for (int i = 0; i < 100; i++) {
    while (out >= 4) {
      int n = reap(l, 4);
      out -= n ? 4 : 0;
    }
    ring[i % 4][0] = 1;
    put(l, ring[i % 4], 64, 0);
    out++;
  }
}
