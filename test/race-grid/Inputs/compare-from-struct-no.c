// The function that qsort calls comes out of a struct.
#include "grid.h"
static char buf[64];
static int keys[4];
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static struct sorter { int (*compare)(const void *, const void *); } by = {compare};
void run(struct link *l) {
  put(l, buf, 64, 0);
  qsort(keys, 4, sizeof keys[0], by.compare);
  take(l->cq);
}
