// atexit keeps a function that writes; exit calls it before the completion.
#include "grid.h"
static char buf[64];
static void at_end(void) { buf[0] = 1; }
void run(struct link *l) {
  atexit(at_end);
  put(l, buf, 64, 0);
  exit(0);
}
