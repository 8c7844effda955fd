// A sum that is tested for both of its ends may lead to the member that is sent.
#include "grid.h"
static struct {
  char slot[8][64], last[64];
} s;
void run(struct link *l, int n, int m) {
  put(l, s.last, 64, 0);
  if (n + m >= 0 && n + m <= 8)
    s.slot[n + m][0] = 1;
  take(l->cq);
}
