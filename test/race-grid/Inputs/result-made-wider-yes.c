// The result is made wider without a sign: a failure, which is told of, counts as many.
#include "grid.h"
#include <stdio.h>
static char a[64], b[64];
void run(struct link *l) {
  struct ibv_wc wc[2];
  put(l, a, 64, 0);
  put(l, b, 64, 64);
  for (;;) {
    int n = ibv_poll_cq(l->cq, 2, wc);
    if (n < 0)
      fprintf(stderr, "polling fails\n");
    size_t many = (unsigned)n;
    if (many >= 2) {
      a[0] = b[0] = 1;
      return;
    }
    if (n)
      abort();
  }
}
