// The arguments of a constructor have an order in braces only.
#include "grid.h"
static char buf[64];
struct both {
  int sum;
  both(int a, int b) : sum(a + b) {}
};
static int waited(link *l) {
  take(l->cq);
  return 1;
}
static int stored() {
  buf[0] = 1;
  return 2;
}
extern "C" int run(link *l) {
  put(l, buf, 64, 0);
  both all{waited(l), stored()};
  return all.sum;
}
