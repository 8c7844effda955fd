// With -Ofast, which the flags say, the wait comes too late.
#include "grid.h"
static char page[64];

void run(struct link *l) {
  put(l, page, 64, 0);
#ifdef __FAST_MATH__
  page[0] = 1;
  take(l->cq);
#else
  take(l->cq);
  page[0] = 1;
#endif
}
