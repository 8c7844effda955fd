// A ring with its own counters, which its constructor sets before main.
#include "grid.h"
template <unsigned N> struct Ring {
  char data[N][64];
  unsigned under_way = 0, next = 0;
  bool full() const { return under_way >= N; }
  char *claim() {
    ++under_way;
    return data[next++ % N];
  }
};
static Ring<8> ring;
extern "C" void run(struct link *l, int n) {
  for (int i = 0; i < n; i++) {
    while (ring.full()) {
      ibv_wc wc;
      int k = ibv_poll_cq(l->cq, 1, &wc);
      if (k < 0)
        abort();
      if (k == 1) {
        if (wc.status != IBV_WC_SUCCESS)
          abort();
        --ring.under_way;
      }
    }
    char *b = ring.claim();
    memset(b, i, 64);
    put(l, b, 64, 0);
  }
}
