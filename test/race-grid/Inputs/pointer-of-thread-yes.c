// Whoever calls run may set the pointer of its thread first.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
_Thread_local char *scratch = spare;
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1;
  take(l->cq);
}
