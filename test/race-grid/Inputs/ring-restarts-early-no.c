// A ring whose position goes back at the end, with a window as long as the array.
#include "grid.h"
static char slot[64][64];
void run(struct link *l, int rounds) {
  int out = 0, at = 0;
  for (int i = 0; i < rounds; i++) {
    if (out == 64) {
      take(l->cq);
      out--;
    }
    slot[at][0] = i;
    put(l, slot[at], 64, 0);
    out++;
    at = at == 63 ? 0 : at + 1;
  }
}
