// Others are given the address of the hook before run begins, and set it to the function that they are lent.
// SET-UP: elsewhere
#include "grid.h"
typedef void hook(void);
static char buf[64];
static void nothing(void) {}
static void touch(void) { buf[0] = 1; }
static hook *called = nothing;
hook **place(void) { return &called; }
hook *lend(void) { return touch; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  called();
  take(l->cq);
}
