// A quotient leads past the end of an array, into the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[n % 200 / 3] = 1;
  take(l->cq);
}
