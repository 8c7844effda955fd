// CORRECTED TWIN OF: The rounds are half of a wider number, and there is one credit too many.
#include "grid.h"
static uint64_t ring[3][8];
static unsigned reap(struct link *l) {
  struct ibv_wc wc;
  return ibv_poll_cq(l->cq, 1, &wc);
}
void run(struct link *l, long rounds) {
  unsigned count = (unsigned)rounds, credits = 3;
  for (unsigned i = 0; i < count; i++) {
    while (credits == 0)
      credits += reap(l);
    ring[i % 3][0] = i;
    credits--;
    put(l, ring[i % 3], 64, 0);
  }
}
