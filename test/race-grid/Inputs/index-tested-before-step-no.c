// A position in memory is tested, and moved by four before it is used; the member behind the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static unsigned at;
void run(struct link *l, unsigned n) {
  at = n % 60;
  put(l, s.b, 64, 0);
  if (at < 60)
    at += 4;
  s.a[at] = 1;
  take(l->cq);
}
