// Under the thread sanitizer, which the flags turn on, the wait comes too late.
#include "grid.h"
static char page[64];

void run(struct link *l) {
  put(l, page, 64, 0);
#ifdef __SANITIZE_THREAD__
  page[0] = 1;
  take(l->cq);
#else
  take(l->cq);
  page[0] = 1;
#endif
}
