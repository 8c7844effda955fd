// The search looks before it counts; the last one is taken where it finds none.
#include "grid.h"
static struct {
  uint64_t a[1000], b;
} s;
void run(struct link *l, uint64_t x, const uint64_t *given) {
  memcpy(s.a, given, sizeof s.a);
  put(l, &s.b, 8, 0);
  unsigned i = 0;
  do {
    if (s.a[i] <= x)
      break;
  } while (++i != 999);
  s.a[i] = x;
  take(l->cq);
}
