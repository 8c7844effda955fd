// A ring whose position is counted on a condition only, with a window as long as the array.
#include "grid.h"
static char slot[4][64];
void run(struct link *l, int rounds, const int *used) {
  int out = 0, at = 0;
  for (int i = 0; i < rounds; i++) {
    if (out == 4) {
      take(l->cq);
      out--;
    }
    slot[at][0] = used[i];
    put(l, slot[at], 64, 0);
    out++;
    if (used[i])
      at = at == 3 ? 0 : at + 1;
  }
}
