// A failed poll ends the program before it is added to the sum.
#include "grid.h"
static char buf[8][64];
void run(struct link *l, unsigned n) {
  struct ibv_wc wc[8];
  if (n > 8)
    abort();
  for (unsigned i = 0; i < n; i++)
    put(l, buf[i], 64, 0);
  int done = 0;
  do {
    int k = ibv_poll_cq(l->cq, n, wc);
    if (k < 0)
      abort();
    done += k;
  } while (done < (int)n);
  buf[0][0] = 1;
}
