// REMARK: 'at_end' is given to 'atexit'
// atexit keeps a function that writes; exit calls it before the completion.
#include "grid.h"
static char buf[64];
static void at_end(void) { buf[0] = 1; }
void run(struct link *l) {
  atexit(at_end);
  put(l, buf, 64, 0);
  take(l->cq);
  exit(0);
}
