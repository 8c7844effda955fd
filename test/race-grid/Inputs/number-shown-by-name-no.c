// What other files know by its name leads to another number.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1, spare;
int *shown[2] = {&spare, &spare};
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
