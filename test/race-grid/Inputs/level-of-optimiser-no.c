// Twin: this branch is the one that is compiled.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  put(l, page, 64, 0);
#ifdef __NO_INLINE__
  take(l->cq);
#endif
  page[0] = 1;
}
