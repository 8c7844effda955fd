// A table has the index of the first byte of the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static const unsigned char next[4] = {1, 2, 3, 64};
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[next[n & 3]] = 1;
  take(l->cq);
}
