// The sum is taken of the buffer that is read into.
#include "grid.h"
static char x[64], y[64];
long run(struct link *l, int n) {
  long sum = 0;
  char *next = x, *now = y;
  fetch(l, next, 64, 0);
  take(l->cq);
  for (int i = 0; i < n; i++) {
    char *t = now;
    now = next;
    next = t;
    fetch(l, next, 64, 0);
    for (int k = 0; k < 64; k++)
      sum += next[k];
    take(l->cq);
  }
  return sum;
}
