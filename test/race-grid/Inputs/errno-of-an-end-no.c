// Where the queue cannot be armed errno is not zero: the caller gives up.
#include "grid.h"
#include <errno.h>
static char a[64];
static int ready(struct link *l, const char *mode) {
  if (ibv_req_notify_cq(l->cq, 0) != 0)
    return -errno;
  put(l, a, 64, 0);
  take(l->cq);
  return 1;
}
void run(struct link *l, const char *mode) {
  int done = ready(l, mode);
  if (done < 0)
    return;
  if (done == 0)
    put(l, a, 64, 0);
  a[0] = 1;
}
