// Twice what a loop counts, as far as a test lets it go, leads to the member that is sent.
#include "grid.h"
static struct {
  char slot[8][64], last[64];
} s;
void run(struct link *l, int rounds) {
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++)
    if (i < 5)
      s.slot[i * 2][0] = i;
  take(l->cq);
}
