// Which argument is evaluated first is open: the store may come before the wait.
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
static int sum(int a, int b) { return a + b; }
int run(struct link *l) {
  put(l, buf, 64, 0);
  return sum(waited(l), stored());
}
