// A table of buffers, filled in a loop: what is posted through one index is changed through another.
#include "grid.h"
static char pool[32][64], *ring[32];
void run(struct link *l, unsigned n) {
  for (unsigned i = 0; i < 32; ++i)
    ring[i] = pool[i];
  put(l, ring[n % 32], 64, 0);
  ring[0][0] = 1;
  take(l->cq);
}
