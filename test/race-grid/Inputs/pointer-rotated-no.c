// A pointer is kept with its bits rotated.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l, int second) {
  uint64_t kept = __builtin_rotateleft64((uintptr_t)(second ? a : b), 13);
  put(l, (char *)__builtin_rotateright64(kept, 13), 64, 0);
  take(l->cq);
  b[0] = 1;
}
