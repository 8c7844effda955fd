// A window that is too large is cut to one more than there are buffers.
#include "grid.h"
enum { RING = 32 };
static char ring[RING][64];
void run(struct link *l, unsigned window, unsigned n) {
  if (window < 1)
    window = 1;
  if (window > RING + 1)
    window = RING + 1;
  unsigned posted = 0, done = 0;
  while (posted < n) {
    if (posted - done == window) {
      take(l->cq);
      done++;
    }
    ring[posted % RING][0] = posted;
    put(l, ring[posted % RING], 64, 0);
    posted++;
  }
}
