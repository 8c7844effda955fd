// A condition chooses the buffer to send and the one to fill.
#include "grid.h"
static char x[64], y[64];
void run(struct link *l, int c) {
  char *live = c ? x : y, *idle = c ? y : x;
  put(l, live, 64, 0);
  memset(idle, 1, 64);
  take(l->cq);
}
