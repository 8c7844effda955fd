// Counters in static variables, with one more under way than there are buffers; the next one steps on early.
#include "grid.h"
static char data[8][64];
static unsigned under_way, next;
void run(struct link *l, int n) {
  for (int i = 0; i < n; i++) {
    while (under_way >= 9) {
      struct ibv_wc wc;
      int k = ibv_poll_cq(l->cq, 1, &wc);
      if (k < 0 || (k > 0 && wc.status != IBV_WC_SUCCESS))
        abort();
      under_way -= k;
    }
    under_way++;
    char *b = data[next++ % 8];
    memset(b, i, 64);
    put(l, b, 64, 0);
  }
}
