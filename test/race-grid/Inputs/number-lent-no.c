// The number whose address others are given is another one.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1, spare;
int *option(void) { return &spare; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
