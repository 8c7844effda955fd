// A pointer is a number for a while, with a mark in its low bit.
#include "grid.h"
static _Alignas(8) char buf[64];
void run(struct link *l) {
  uintptr_t marked = (uintptr_t)buf | 1;
  put(l, (char *)(marked & ~(uintptr_t)1), 64, 0);
  take(l->cq);
  buf[0] = 1;
}
