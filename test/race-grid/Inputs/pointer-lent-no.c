// Others are given the address of the pointer before run begins, and set it to what lend gives them.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
static char *scratch = spare, *other = spare;
char **place(void) { return &other; }
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1;
  take(l->cq);
}
