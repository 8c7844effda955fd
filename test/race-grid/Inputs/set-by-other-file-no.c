// What is waited for hangs on what a variable begins with, which no other file can name.
// SET-UP: elsewhere
#include "grid.h"
static int left = 1;
static char page[64];

void run(struct link *l) {
  put(l, page, 64, 0);
  for (; left > 0; left--)
    take(l->cq);
  page[0] = 1;
}
