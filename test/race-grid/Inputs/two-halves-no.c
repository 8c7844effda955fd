// Two buffers in turn, by 1 - x and by x ^ 1; three requests may be out.
#include "grid.h"
static char halves[2][64], others[2][64];
void run(struct link *l, int n, int m) {
  int now = 0, out = 0;
  for (int i = 0; i < n; ++i, now = 1 - now) {
    for (; out == 2; --out)
      take(l->cq);
    halves[now][0] = i;
    put(l, halves[now], 64, 0);
    ++out;
  }
  for (; out > 0; --out)
    take(l->cq);
  unsigned which = 0;
  for (int i = 0; i < m; ++i, which ^= 1) {
    for (; out == 2; --out)
      take(l->cq);
    others[which][0] = i;
    put(l, others[which], 64, 64);
    ++out;
  }
}
