// A counter of sixteen bits is zero again after 65536 requests.
#include "grid.h"
static uint64_t pages[4];
void run(struct link *l, unsigned count) {
  uint16_t out = 0;
  unsigned i = 0;
  if (i < count)
    do {
      put(l, &pages[i % 4], 8, 0);
      out++;
      i++;
    } while (i < count);
  if (out > 0)
    do {
      struct ibv_wc wc[4];
      out -= ibv_poll_cq(l->cq, 4, wc);
    } while (out > 0);
  pages[1] = 1;
}
