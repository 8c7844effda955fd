// An index goes in steps of two and is set back before the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l) {
  unsigned at = 0;
  put(l, s.b, 64, 0);
  for (unsigned i = 0; i < 40; ++i) {
    s.a[at] = 1;
    at += 2;
    if (at == 62)
      at = 0;
  }
  take(l->cq);
}
