// A pointer with an initialiser is another name of the buffer.
#include "grid.h"
static char buf[64];
char *current = buf;
void run(struct link *l) {
  put(l, current, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
