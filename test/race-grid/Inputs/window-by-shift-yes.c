// The window, told by a shift, is twice as large as the ring.
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
  uint32_t head = 0, tail = 0;
  for (int i = 0; i < 100; i++) {
    while (((head - tail) >> 3) != 0)
      tail += reap(l, 1);
    ring[head & 3][0] = 1;
    put(l, ring[head & 3], 64, 0);
    head++;
  }
}
