// A pointer is kept as two halves, and put together again.
#include "grid.h"
static char buf[64];
static struct halves { uint32_t low, high; } kept;
void run(struct link *l) {
  kept.low = (uint32_t)(uintptr_t)buf;
  kept.high = (uint32_t)((uintptr_t)buf >> 32);
  char *p = (char *)((uintptr_t)kept.high << 32 | kept.low);
  put(l, p, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
