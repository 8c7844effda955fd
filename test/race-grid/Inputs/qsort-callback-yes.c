// qsort calls what it is given, and that changes the buffer.
#include "grid.h"
static char buf[64];
static int keys[4];
static int compare(const void *a, const void *b) {
  buf[0]++;
  return *(const int *)a - *(const int *)b;
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  qsort(keys, 4, sizeof keys[0], compare);
  take(l->cq);
}
