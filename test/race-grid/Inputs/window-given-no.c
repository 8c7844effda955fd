// How many may be under way the caller says, as many as there are buffers at most.
#include "grid.h"
enum { RING = 16 };
static char ring[RING][64];
void run(struct link *l, int window, int n) {
  if (window < 1 || window > RING)
    return;
  int posted = 0, done = 0;
  while (done < n) {
    while (posted < n && posted - done < window) {
      ring[posted % RING][0] = posted;
      put(l, ring[posted % RING], 64, 0);
      posted++;
    }
    take(l->cq);
    done++;
  }
}
