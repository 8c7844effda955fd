// The place in the ring jumps where the counter of the rounds goes round.
#include "grid.h"
static uint64_t ring[3][8];
static unsigned reap(struct link *l) {
  struct ibv_wc wc;
  return ibv_poll_cq(l->cq, 1, &wc);
}
void run(struct link *l, long rounds) {
  unsigned count = (unsigned)rounds, credits = 3;
  uint8_t i = 0;
  for (unsigned r = 0; r < count; r++, i++) {
    while (credits == 0)
      credits += reap(l);
    ring[i % 3][0] = i;
    credits--;
    put(l, ring[i % 3], 64, 0);
  }
}
