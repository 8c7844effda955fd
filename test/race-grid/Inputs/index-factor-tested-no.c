// The product of an index is tested; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, int n) {
  put(l, s.b, 64, 0);
  if (n >= 0 && n < 1000 && n * 4 < 256)
    s.a[n] = 1;
  take(l->cq);
}
