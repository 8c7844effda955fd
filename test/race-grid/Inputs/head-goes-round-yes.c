// A window of what is counted without a sign, over a ring whose index goes round by itself: one larger than it.
#include "grid.h"
static uint64_t cells[3];
void run(struct link *l, unsigned rounds) {
  unsigned posted = 0, done = 0, head = 0;
  struct ibv_wc wc;
  for (unsigned i = 0; i < rounds; i++) {
    while (posted - done >= 4)
      done += ibv_poll_cq(l->cq, 1, &wc);
    cells[head] = i;
    put(l, &cells[head], 8, 0);
    posted++;
    if (++head == 3)
      head = 0;
  }
}
