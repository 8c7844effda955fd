// Which buffer is posted stands in a constant table.
#include "grid.h"
static char first[64], second[64];
static char *const table[] = {first, second};
void run(struct link *l) {
  put(l, table[1], 64, 0);
  second[0] = 1;
  take(l->cq);
}
