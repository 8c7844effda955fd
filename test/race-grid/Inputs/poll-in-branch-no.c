// The completion is taken on one way only.
#include "grid.h"
static char buf[64];
void run(struct link *l, int n) {
  put(l, buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
