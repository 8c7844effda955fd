// A ring of four, whose position goes back to the beginning at the end or behind it.
#include "grid.h"
static char slot[4][64];
void run(struct link *l) {
  int out = 0, at = 0;
  for (int i = 0; i < 100; i++) {
    if (out == 4) {
      take(l->cq);
      out--;
    }
    slot[at][0] = i;
    put(l, slot[at], 64, 0);
    out++;
    if (++at >= 4)
      at = 0;
  }
}
