// A number that is shifted stays in its array; the member before it is sent.
#include "grid.h"
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[(int)(n & 127) >> 1] = 1;
  take(l->cq);
}
