// Others may call the weak set_waits, with 0 before run begins.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
__attribute__((weak)) void set_waits(int w) { waits = w; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  set_waits(1);
}
