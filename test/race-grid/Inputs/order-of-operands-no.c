// Which side of a sum is evaluated first is open.
#include "grid.h"
static char buf[64];
static int waited(struct link *l) {
  take(l->cq);
  return 1;
}
static int stored(void) {
  buf[0] = 1;
  return 2;
}
int run(struct link *l) {
  put(l, buf, 64, 0);
  return waited(l) && stored();
}
