// How many requests may be out is given; one more may be out than there are buffers.
#include "grid.h"
static uint64_t slot[64];
void run(struct link *l, unsigned depth, int n) {
  if (depth < 1 || depth > 64)
    return;
  unsigned out = 0, at = 0;
  for (int i = 0; i < n; i++) {
    while (out > depth) {
      take(l->cq);
      out--;
    }
    slot[at] = i;
    put(l, &slot[at], 8, 0);
    out++;
    if (++at == depth)
      at = 0;
  }
}
