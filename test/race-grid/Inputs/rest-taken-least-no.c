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
  while (left) {
    int k = ibv_poll_cq(l->cq, 4, wc);
    unsigned n = k < 0 ? 0 : k;
    left -= n < left ? n : left;
  }
  buf[0][0] = 1;
}
