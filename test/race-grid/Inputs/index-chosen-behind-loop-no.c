// What a search has come to is used, or the first one.
#include "grid.h"
static struct {
  uint64_t a[1000], b;
} s;
void run(struct link *l, uint64_t x, const uint64_t *given, int last) {
  memcpy(s.a, given, sizeof s.a);
  put(l, &s.b, 8, 0);
  unsigned i = 0;
  while (i != 999 && s.a[i] > x)
    i++;
  s.a[last ? i : 0] = x;
  take(l->cq);
}
