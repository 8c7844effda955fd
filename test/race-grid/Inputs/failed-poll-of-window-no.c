// A window is waited for, and where a poll fails, which is told by another result than one, all ends.
#include "grid.h"
static char ring[4][64];
void run(struct link *l, int rounds) {
  unsigned head = 0, tail = 0;
  struct ibv_wc wc;
  for (int i = 0; i < rounds; i++) {
    while (head - tail >= 4) {
      int n = ibv_poll_cq(l->cq, 1, &wc);
      if (n == 0)
        continue;
      if (n != 1)
        return;
      tail++;
    }
    ring[head % 4][0] = i;
    put(l, ring[head % 4], 64, 0);
    head++;
  }
}
