// One way leaves before the wait, and the caller goes on.
#include "grid.h"
static char buf[64];
static int send_it(struct link *l, int n) {
  put(l, buf, 64, 0);
  take(l->cq);
  if (n == 0)
    return -1;
  return 0;
}
void run(struct link *l, int n) {
  send_it(l, n);
  buf[0] = 1;
}
