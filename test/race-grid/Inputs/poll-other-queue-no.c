// The wait is for another queue's completion.
#include "grid.h"
static char buf[64], other[64];
void run(struct link *a, struct link *b) {
  put(a, buf, 64, 0);
  put(b, other, 64, 64);
  take(a->cq);
  buf[0] = 1;
}
