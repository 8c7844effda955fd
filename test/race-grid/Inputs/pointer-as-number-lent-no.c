// Others are given the address of a number that is used as an address.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
static uintptr_t scratch = (uintptr_t)spare, other = (uintptr_t)spare;
uintptr_t *place(void) { return &other; }
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  *(char *)scratch = 1;
  take(l->cq);
}
