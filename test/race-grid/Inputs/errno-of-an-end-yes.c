// Where two words differ errno is what it was, perhaps zero: the caller then takes the way that never waits.
#include "grid.h"
#include <errno.h>
static char a[64];
static int ready(struct link *l, const char *mode) {
  if (strcmp(mode, "fast") != 0)
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
