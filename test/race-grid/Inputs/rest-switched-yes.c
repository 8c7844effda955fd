// What is left is told apart by a switch; five is not expected.
#include "grid.h"

static char buf[4][64];
static void all(struct link *l) {
  for (int i = 0; i < 4; i++)
    put(l, buf[i], 64, 64 * i);
}

void run(struct link *l) {
  struct ibv_wc wc[4];
  all(l);
  unsigned left = 4;
  for (;;) {
    left -= ibv_poll_cq(l->cq, 4, wc);
    switch (left) {
    case 4:
    case 3:
    case 2:
    case 1:
      continue;
    default:
      break;
    }
    break;
  }
  buf[0][0] = 1;
}
