// A test keeps a computed index in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  const unsigned i = n * 3 + 5;
  if (i < 64)
    s.a[i] = 1;
  take(l->cq);
}
