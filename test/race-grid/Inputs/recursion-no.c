// A function that calls itself changes the buffer at its end.
#include "grid.h"
static char buf[64];
static void walk(int n) {
  if (n > 0)
    walk(n - 1);
  else
    buf[0] = 1;
}
void run(struct link *l, int n) {
  put(l, buf, 64, 0);
  take(l->cq);
  walk(n);
}
