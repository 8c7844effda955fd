// Others are given the address of the number before run begins: where they set it to 0, nobody waits.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
int *option(void) { return &waits; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
