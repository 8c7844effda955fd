// What is used is one more than the product that is tested, and may be in the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  if (n * 3 < 64)
    s.a[n * 3 + 1] = 1;
  take(l->cq);
}
