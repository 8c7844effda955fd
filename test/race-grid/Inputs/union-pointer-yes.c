// A pointer is stored as a number through one member of a union and read through another.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  union {
    char *pointer;
    uint64_t number;
  } u;
  u.number = (uint64_t)(uintptr_t)buf;
  put(l, u.pointer, 64, 0);
  buf[0] = 1;
  take(l->cq);
}
