// An index in steps of three jumps over the number that sets it back, and comes to the member that is sent; only few rounds come so far.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, int rounds) {
  if (rounds < 23 || rounds > 40)
    return;
  put(l, s.b, 64, 0);
  unsigned at = 0;
  for (int i = 0; i < rounds; i++) {
    s.a[at] = 1;
    at += 3;
    if (at == 64)
      at = 0;
  }
  take(l->cq);
}
