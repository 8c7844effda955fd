#include "grid.h"
static struct {
  uint64_t b, a[64];
} s;
void run(struct link *l, size_t n) {
  put(l, &s.b, 8, 0);
  if (n && n <= 64)
    s.a[n - 1] = 1;
  take(l->cq);
}
