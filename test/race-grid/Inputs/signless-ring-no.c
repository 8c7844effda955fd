// A count without a sign, taken modulo a number that is no power of two: the ring is one smaller than the window.
#include "grid.h"
static uint64_t cells[3];
void run(struct link *l, unsigned rounds) {
  unsigned done = 0;
  struct ibv_wc wc;
  for (unsigned i = 0; i < rounds; i++) {
    while (i - done >= 3)
      done += ibv_poll_cq(l->cq, 1, &wc);
    cells[i % 3] = i;
    put(l, &cells[i % 3], 8, 0);
  }
}
