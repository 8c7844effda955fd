// The memcpy of the program changes the page while it is sent.
#include "grid.h"
static uint64_t page, other;
static char from[64], to[64];
void *memcpy(void *there, const void *here, size_t n) {
  for (size_t i = 0; i < n; i++)
    ((char *)there)[i] = ((const char *)here)[i];
  page++;
  return there;
}
void run(struct link *l) {
  put(l, &page, 8, 0);
  memcpy(to, from, 64);
  take(l->cq);
}
