// A position in memory is tested, and moved by ten before it is used: there may be the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static unsigned at;
void run(struct link *l, unsigned n) {
  at = n % 60;
  put(l, s.b, 64, 0);
  if (at < 60)
    at += 10;
  s.a[at] = 1;
  take(l->cq);
}
