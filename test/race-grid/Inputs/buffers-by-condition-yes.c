// A condition chooses the buffer to send, which is filled.
#include "grid.h"
static char x[64], y[64];
void run(struct link *l, int c) {
  char *live = c ? x : y, *idle = c ? y : x;
  put(l, live, 64, 0);
  memset(live, 1, 64);
  take(l->cq);
}
