// Which buffer of a constant table is posted is not known.
#include "grid.h"
static char first[64], second[64], third[64];
static char *const table[] = {first, second};
void run(struct link *l, unsigned n) {
  put(l, table[n & 1], 64, 0);
  third[0] = 1;
  take(l->cq);
}
