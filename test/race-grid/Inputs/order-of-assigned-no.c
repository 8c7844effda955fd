// In C it is open whether the place or the value comes first.
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
  int all[3] = {0}, *at;
  put(l, buf, 64, 0);
  at = &all[waited(l)];
  *at = stored();
  return all[1];
}
