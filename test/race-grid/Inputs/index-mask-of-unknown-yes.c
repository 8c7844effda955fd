// A number of seven bits masks one that is not known: it may be in the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned i, unsigned mask) {
  put(l, s.b, 64, 0);
  s.a[i & (mask % 128)] = 1;
  take(l->cq);
}
