// The search looks before it counts; where it finds none, it ends one past the last.
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
  } while (++i != 1000);
  s.a[i] = x;
  take(l->cq);
}
