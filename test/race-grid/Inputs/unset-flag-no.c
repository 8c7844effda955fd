// Whether to wait is set in the beginning, and again on one way.
#include "grid.h"
static char page[64];
void run(struct link *l, int key) {
  int waits = 1;
  put(l, page, sizeof page, 0);
  if (key > 10)
    waits = 2;
  if (waits)
    take(l->cq);
  page[0] = 0;
}
