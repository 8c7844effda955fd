// Whether to wait is read in front of the table.
#include "grid.h"
static uint64_t page[8];
void run(struct link *l) {
  int wait[2] = {1, 1};
  put(l, page, 64, 0);
  if (wait[-1])
    take(l->cq);
  page[0] = 1;
}
