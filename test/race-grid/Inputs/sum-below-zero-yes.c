// The sum is below zero where polling fails, and that ends the wait.
#include "grid.h"

static char buf[4][64];
static void all(struct link *l) {
  for (int i = 0; i < 4; i++)
    put(l, buf[i], 64, 64 * i);
}

void run(struct link *l) {
  struct ibv_wc wc[4];
  all(l);
  int done = 0;
  while (done < 4) {
    done += ibv_poll_cq(l->cq, 4, wc);
    if (0 > done)
      break;
  }
  buf[0][0] = 1;
}
