// A copy of another name, which does not.
#include "grid.h"
static uint64_t page, other;
static char from[64], to[64];
static void *copy(void *there, const void *here, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((char *)there)[i] = ((const char *)here)[i];
  other++;
  return there;
}
void run(struct link *l) {
  put(l, &page, 8, 0);
  copy(to, from, 64);
  take(l->cq);
}
