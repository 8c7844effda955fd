// What is thrown skips the wait.
#include "grid.h"
static char buf[64];
extern "C" void run(struct link *l, int n) {
  try {
    put(l, buf, 64, 0);
    take(l->cq);
    if (n > 3)
      throw n;
  } catch (int) {
  }
  buf[0] = 1;
}
