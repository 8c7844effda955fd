// A sum of twelve small numbers stays in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[85], b[64];
} s;
void run(struct link *l, const unsigned *p) {
  put(l, s.b, 64, 0);
  const unsigned n = p[0] % 8 + p[1] % 8 + p[2] % 8 + p[3] % 8 + p[4] % 8 + p[5] % 8 + p[6] % 8 + p[7] % 8 +
                     p[8] % 8 + p[9] % 8 + p[10] % 8 + p[11] % 8;
  s.a[n] = 1;
  take(l->cq);
}
