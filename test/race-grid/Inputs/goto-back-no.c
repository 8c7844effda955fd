// goto leads back to before the wait.
#include "grid.h"
static char buf[64];
void run(struct link *l, int n) {
again:
  buf[0] = (char)n;
  put(l, buf, 64, 0);
  take(l->cq);
  if (--n > 0)
    goto again;
}
