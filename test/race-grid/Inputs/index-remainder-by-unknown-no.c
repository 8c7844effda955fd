// A remainder of a tested number by one that is not known; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned i, unsigned by) {
  put(l, s.b, 64, 0);
  if (i < 64 && by)
    s.a[i % by] = 1;
  take(l->cq);
}
