#include "grid.h"
static char buf[4][64];
void run(struct link *l, unsigned n) {
  struct ibv_wc wc[4];
  if (n > 4)
    abort();
  for (unsigned i = 0; i < n; i++)
    put(l, buf[i], 64, 64 * i);
  unsigned left = n;
  while (left > 0)
    left -= ibv_poll_cq(l->cq, 4, wc);
  buf[0][0] = 1;
}
