// An index is cut to one past the end of an array; the member there is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  s.a[n < 64 ? n : 64] = 1;
  take(l->cq);
}
