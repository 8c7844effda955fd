// Which function is called depends on a number; both may be.
#include "grid.h"
static char buf[64];
static void change(void) { buf[0] = 1; }
static void leave(void) {}
void run(struct link *l, int n) {
  void (*then)(void) = n ? change : leave;
  put(l, buf, 64, 0);
  then();
  take(l->cq);
}
