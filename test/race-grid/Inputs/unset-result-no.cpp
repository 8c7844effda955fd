// Who asks whether to wait is answered on each way.
#include "grid.h"
static char page[64];
static bool needs_wait(int kind) {
  if (kind == 1)
    return true;
  if (kind == 2)
    return true;
  return true;
}
extern "C" void run(struct link *l, int kind) {
  put(l, page, sizeof page, 0);
  if (needs_wait(kind))
    take(l->cq);
  page[0] = 0;
}
