// The remainder of what a loop has added up stays in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  unsigned h = 5;
  for (unsigned i = 0; i < n; i++)
    h = h * 31 + i;
  s.a[h % 64] = 1;
  take(l->cq);
}
