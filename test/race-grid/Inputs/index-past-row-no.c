// An index is masked so that it stays in its row, and the next one is sent.
#include "grid.h"
static uint32_t m[4][4];
void run(struct link *l, unsigned n) {
  put(l, m[2], 16, 0);
  m[1][n & 3] = 1;
  take(l->cq);
}
