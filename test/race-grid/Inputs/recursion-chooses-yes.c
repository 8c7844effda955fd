// A function that calls itself writes what it chooses.
#include "grid.h"
static char buf[64], spare[64], more[64];
static int deep(int n, int depth) {
  int made = n > 1 ? deep(n - 1, depth + 1) + deep(n - 2, depth + 1) : 0;
  char *page = n & 1 ? buf : more;
  if (depth > 9)
    page[0] = 1;
  return made + 1;
}
void run(struct link *l, int n) {
  put(l, buf, 64, 0);
  deep(n, 0);
  take(l->cq);
}
