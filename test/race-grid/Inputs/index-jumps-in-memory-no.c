// An index in memory is set back at a number that it comes to; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
  unsigned at;
} s;
static void step(void) {
  s.a[s.at] = 1;
  s.at += 3;
  if (s.at == 63)
    s.at = 0;
}
void run(struct link *l, int rounds) {
  if (rounds < 23 || rounds > 40)
    return;
  put(l, s.b, 64, 0);
  for (int i = 0; i < rounds; i++)
    step();
  take(l->cq);
}
