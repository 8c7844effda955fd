// A configuration word that others may set at any time is read twice.
#include "grid.h"
volatile int sync_mode;
static char buf[64];
void run(struct link *l) {
  if (sync_mode)
    put(l, buf, 64, 0);
  if (sync_mode)
    take(l->cq);
  buf[0] = 1;
}
