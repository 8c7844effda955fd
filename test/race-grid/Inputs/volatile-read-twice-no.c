// A configuration word that others may set at any time is read once.
#include "grid.h"
volatile int sync_mode;
static char buf[64];
void run(struct link *l) {
  const int waits = sync_mode;
  if (waits)
    put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
