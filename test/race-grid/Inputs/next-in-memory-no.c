// What is next and how many are under way stand in static variables; the next one steps on before the post.
#include "grid.h"
static char data[8][64];
static unsigned under_way, next;
void run(struct link *l, int n) {
  for (int i = 0; i < n; i++) {
    while (under_way >= 8) {
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
