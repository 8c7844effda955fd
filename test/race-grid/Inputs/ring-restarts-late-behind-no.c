// A position tested behind its step goes back at the end of the array; the member behind it is sent.
#include "grid.h"
static struct {
  char slot[64][64], last[64];
} s;
void run(struct link *l, int rounds, const int *skip) {
  int k = 0;
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++) {
    s.slot[k][0] = i;
    if (skip[i])
      continue;
    ++k;
    if (k == 64)
      k = 0;
  }
  take(l->cq);
}
