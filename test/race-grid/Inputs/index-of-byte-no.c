// A number that is kept in a byte stays in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[200], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[(unsigned char)(n % 200)] = 1;
  take(l->cq);
}
