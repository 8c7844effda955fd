// An index is set back by a difference, but only behind the first byte of the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l) {
  unsigned at = 0;
  put(l, s.b, 64, 0);
  for (unsigned i = 0; i < 400; ++i) {
    s.a[at] = 1;
    at += 3;
    if (at > 64)
      at -= 64;
  }
  take(l->cq);
}
