// An index in steps of three is set back at a number that it comes to; the member behind the array is sent.
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
    if (at == 63)
      at = 0;
  }
  take(l->cq);
}
