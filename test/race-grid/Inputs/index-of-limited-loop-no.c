// A test before a loop keeps it in its array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  if (n > 64)
    abort();
  for (unsigned i = 0; i < n; i++)
    s.a[i] = 1;
  take(l->cq);
}
