// Under the address sanitizer, which the flags turn on and off again, the wait would come too late.
#include "grid.h"
static char page[64];

void run(struct link *l) {
  put(l, page, 64, 0);
#ifdef __SANITIZE_ADDRESS__
  page[0] = 1;
  take(l->cq);
#else
  take(l->cq);
  page[0] = 1;
#endif
}
