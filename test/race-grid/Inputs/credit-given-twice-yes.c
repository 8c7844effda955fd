// One completion gives back the credit of two requests.
#include "grid.h"
static int reap(struct link *l, int most) {
  struct ibv_wc wc[8];
  int n = ibv_poll_cq(l->cq, most, wc);
  if (n < 0)
    abort();
  return n;
}
static char ring[4][64];
void run(struct link *l) {
  int credit = 4;
  for (int i = 0; i < 100; i++) {
    while (credit == 0) {
      int n = reap(l, 2);
      credit += n > 0 ? 2 : 0;
    }
    credit--;
    ring[i % 4][0] = 1;
    put(l, ring[i % 4], 64, 0);
  }
}
