// The best one found is said by its index, and the next one is written.
#include "grid.h"
static struct {
  uint64_t a[1000], b;
} s;
void run(struct link *l, uint64_t x, const uint64_t *given) {
  memcpy(s.a, given, sizeof s.a);
  put(l, &s.b, 8, 0);
  long best = -1;
  for (int i = 0; i < 1000; i++)
    if (s.a[i] > x)
      best = i;
  s.a[best + 1] = 0;
  take(l->cq);
}
