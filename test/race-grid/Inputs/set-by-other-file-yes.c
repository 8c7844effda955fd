// What is waited for hangs on what a variable begins with, which another file may set.
// SET-UP: elsewhere
#include "grid.h"
int left = 1;
static char page[64];

void run(struct link *l) {
  put(l, page, 64, 0);
  for (; left > 0; left--)
    take(l->cq);
  page[0] = 1;
}
