// An array declared in a switch before the first case.
#include "grid.h"
static void step(struct link *l, int n) {
  switch (n) {
    char a[64];
  case 0:
    a[0] = 1;
    put(l, a, 64, 0);
    take(l->cq);
    break;
  default:
    break;
  }
}
void run(struct link *l, int n) {
  step(l, n & 1);
}
