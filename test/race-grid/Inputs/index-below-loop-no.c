#include "grid.h"
static struct {
  uint64_t b, a[1000];
} s;
void run(struct link *l, uint64_t x, const uint64_t *given) {
  memcpy(s.a, given, sizeof s.a);
  put(l, &s.b, 8, 0);
  int i = 999;
  while (i > 0 && s.a[i] > x)
    i--;
  s.a[i] = x;
  take(l->cq);
}
