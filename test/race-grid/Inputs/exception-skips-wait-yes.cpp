// What is thrown skips the wait.
#include "grid.h"
static char buf[64];
extern "C" void run(struct link *l, int n) {
  try {
    put(l, buf, 64, 0);
    if (n > 3)
      throw n;
    take(l->cq);
  } catch (int) {
  }
  buf[0] = 1;
}
