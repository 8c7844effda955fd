// An index that is masked too wide leads from a row into the next one, which is sent.
#include "grid.h"
static uint32_t m[4][4];
void run(struct link *l, unsigned n) {
  put(l, m[2], 16, 0);
  m[1][n & 7] = 1;
  take(l->cq);
}
