// Records of 64 bytes in a ring of bytes, whose place is in the middle bits of a counter: one is written one record too early.
#include "grid.h"
static char ring[256];
void run(struct link *l, unsigned rounds) {
  unsigned head = 0, tail = 0;
  for (unsigned i = 0; i < rounds; i++) {
    if (head - tail == 320) {
      take(l->cq);
      tail += 64;
    }
    char *at = ring + (head & 0xc0);
    at[0] = 1;
    put(l, at, 64, 0);
    head += 64;
  }
  while (head != tail) {
    take(l->cq);
    tail += 64;
  }
}
