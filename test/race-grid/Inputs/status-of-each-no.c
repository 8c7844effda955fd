// Who looks at the status of each completion counts what came; one is left out.
#include "grid.h"
static char ring[3][64];
void run(struct link *l, int rounds) {
  uint64_t out = 0;
  struct ibv_wc wc[4];
  for (int i = 0; i < rounds; i++) {
    put(l, ring[i % 3], 64, 0);
    out++;
  }
  while (out > 0) {
    int n = ibv_poll_cq(l->cq, 4, wc);
    for (int k = 0; k < n; k++)
      if (wc[k].status != IBV_WC_SUCCESS)
        abort();
    out -= n;
  }
  memset(ring, 0, sizeof ring);
}
