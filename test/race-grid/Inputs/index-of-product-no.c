// A product stays in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n, unsigned m) {
  put(l, s.b, 64, 0);
  s.a[(n & 7) * (m & 7)] = 1;
  take(l->cq);
}
