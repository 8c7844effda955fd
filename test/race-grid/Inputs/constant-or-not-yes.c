// What is known as constant hangs on what the compiler inlines.
#include "grid.h"
static char page[64];
static inline void settle(struct link *l, int n) {
  if (__builtin_constant_p(n))
    take(l->cq);
}
void run(struct link *l) {
  put(l, page, 64, 0);
  settle(l, 64);
  page[0] = 1;
}
