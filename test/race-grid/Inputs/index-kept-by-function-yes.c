// A function keeps an index, which may be the first of the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static int at;
static void choose(int n) { at = n ? 64 : 3; }
void run(struct link *l, int n) {
  put(l, s.b, 64, 0);
  choose(n);
  s.a[at] = 1;
  take(l->cq);
}
