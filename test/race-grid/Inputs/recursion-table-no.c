// A function that calls itself writes what a constant table leads to.
#include "grid.h"
static char buf[64], spare[64], more[64];
static char *const pages[] = {more, spare};
static int deep(int n, int depth) {
  int made = n > 1 ? deep(n - 1, depth + 1) + deep(n - 2, depth + 1) : 0;
  if (depth > 9)
    pages[n & 1][0] = 1;
  return made + 1;
}
void run(struct link *l, int n) {
  put(l, buf, 64, 0);
  deep(n, 0);
  take(l->cq);
}
