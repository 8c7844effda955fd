// A tested number is masked by one that is not known; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned i, unsigned mask) {
  put(l, s.b, 64, 0);
  if (i < 64)
    s.a[i & mask] = 1;
  take(l->cq);
}
