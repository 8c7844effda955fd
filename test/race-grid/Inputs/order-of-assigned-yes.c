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
  int all[3] = {0};
  put(l, buf, 64, 0);
  all[waited(l)] = stored();
  return all[1];
}
