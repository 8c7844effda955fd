// The search counts in a short, and what it finds is used.
#include "grid.h"
static struct {
  uint16_t n;
  uint64_t a[1000], b;
} s;
void run(struct link *l, uint64_t x, const uint64_t *given) {
  memcpy(s.a, given, sizeof s.a);
  put(l, &s.b, 8, 0);
  uint16_t i = 0;
  while (i < 1000 && s.a[i] != x)
    ++i;
  if (i < 1000)
    s.a[i] = 0;
  take(l->cq);
}
