// Whether to wait is read from a variable whose block has ended.
#include "grid.h"
static uint64_t page[8];
void run(struct link *l, int mode) {
  const int *wait;
  {
    int yes = 1;
    wait = &yes;
    if (mode)
      yes = 2;
  }
  put(l, page, 64, 0);
  if (*wait)
    take(l->cq);
  page[0] = 1;
}
