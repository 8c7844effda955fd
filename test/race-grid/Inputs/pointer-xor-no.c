// Two pointers are kept as what tells them apart.
#include "grid.h"
static char first[64], second[64];
void run(struct link *l) {
  uintptr_t both = (uintptr_t)first ^ (uintptr_t)second;
  char *p = (char *)(both ^ (uintptr_t)first);
  put(l, p, 64, 0);
  take(l->cq);
  second[0] = 1;
}
