// A static of a function is handed out as the buffer again.
#include "grid.h"
static char *scratch(void) {
  static char buf[64];
  return buf;
}
void run(struct link *l) {
  char *p = scratch();
  put(l, p, 64, 0);
  *scratch() = 1;
  take(l->cq);
}
