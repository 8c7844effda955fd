#include "grid.h"

static char buf[4][64];
static void all(struct link *l) {
  for (int i = 0; i < 4; i++)
    put(l, buf[i], 64, 64 * i);
}

struct counts {
  unsigned left, limit;
};
static struct counts c;
void run(struct link *l) {
  struct ibv_wc wc[4];
  all(l);
  c.left = c.limit = 4;
  while (c.left)
    c.left -= ibv_poll_cq(l->cq, 4, wc);
  buf[0][0] = 1;
}
