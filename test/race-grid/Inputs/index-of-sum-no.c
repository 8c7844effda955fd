// A sum stays in an array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, int n) {
  put(l, s.b, 64, 0);
  s.a[(n & 31) + 1] = 1;
  take(l->cq);
}
