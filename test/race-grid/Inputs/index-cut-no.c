// A number that fits in a byte stays in its array; the member before it is sent.
#include "grid.h"
static struct {
  char b[64], between[64], a[256];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[(signed char)(n & 127)] = 1;
  take(l->cq);
}
