// Whether to wait is set on one way only.
#include "grid.h"
static char page[64];
void run(struct link *l, int key) {
  int waits;
  put(l, page, sizeof page, 0);
  if (key > 10)
    waits = 2;
  if (waits)
    take(l->cq);
  page[0] = 0;
}
