// The last of an array, or one of its first; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n, unsigned m) {
  put(l, s.b, 64, 0);
  s.a[n ? 63 : m % 8] = 1;
  take(l->cq);
}
