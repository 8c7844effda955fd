// The remainder of what a loop has added up leads past the end of an array, into the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  unsigned h = 5;
  for (unsigned i = 0; i < n; i++)
    h = h * 31 + i;
  s.a[h % 65] = 1;
  take(l->cq);
}
