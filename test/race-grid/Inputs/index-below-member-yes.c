// An index may be one below zero, and lead into the member before, which is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, int n) {
  put(l, s.a, 64, 0);
  s.b[(n & 63) - 1] = 1;
  take(l->cq);
}
