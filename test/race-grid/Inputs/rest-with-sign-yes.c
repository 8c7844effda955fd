// What is left has a sign, and is held against the window.
#include "grid.h"

static char buf[4][64];
static void all(struct link *l) {
  for (int i = 0; i < 4; i++)
    put(l, buf[i], 64, 64 * i);
}

void run(struct link *l) {
  struct ibv_wc wc[4];
  all(l);
  int left = 4;
  while (left > 0) {
    left -= ibv_poll_cq(l->cq, 4, wc);
    if (left > 4)
      break;
  }
  buf[0][0] = 1;
}
