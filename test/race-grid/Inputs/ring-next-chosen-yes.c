// A ring of three, whose position goes back to the beginning by a choice.
#include "grid.h"
static char slot[3][64];
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
    at = at + 1 == 3 ? 0 : at + 1;
  }
}
