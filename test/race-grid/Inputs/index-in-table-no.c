// A table has indices of its member only.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static const unsigned char next[4] = {1, 2, 3, 63};
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[next[n & 3]] = 1;
  take(l->cq);
}
