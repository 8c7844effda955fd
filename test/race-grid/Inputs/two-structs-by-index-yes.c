// Two elements of one array of structures, one by a number and one by a variable.
#include "grid.h"
static struct slot {
  char buf[64];
  int used;
} slots[8];
void run(struct link *l, unsigned n) {
  put(l, slots[n & 7].buf, 64, 0);
  slots[5].buf[0] = 1;
  take(l->cq);
}
