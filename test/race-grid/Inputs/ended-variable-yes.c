// Whether to wait is said by a variable of a function that has returned.
#include "grid.h"
static char page[64];
static const int *says(int level) {
  int waits;
  waits = level > 3 ? 2 : 1;
  return &waits;
}
void run(struct link *l, int level) {
  put(l, page, sizeof page, 0);
  if (*says(level))
    take(l->cq);
  page[0] = 0;
}
