// Another file may set the pointer to what lend gives it, before run begins.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
char *scratch = spare;
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1;
  take(l->cq);
}
