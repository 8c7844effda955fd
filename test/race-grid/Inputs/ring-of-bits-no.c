// The place in a ring is made of bits of a counter and of a number that is given: each is written when it has been sent.
#include "grid.h"
static char ring[4][64];
void run(struct link *l, unsigned rounds, unsigned lane) {
  for (unsigned i = 0; i < rounds; i++) {
    char *at = ring[(i & 1) << 1 | (lane & 1)];
    if (i >= 2)
      take(l->cq);
    at[0] = 1;
    put(l, at, 64, 0);
  }
}
