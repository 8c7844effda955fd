// The flag that says that something is under way is taken back before it is waited for.
#include "grid.h"
static int pending;
static char buf[64];
static void settle(struct link *l) {
  if (pending) {
    take(l->cq);
    pending = 0;
  }
}
void run(struct link *l) {
  put(l, buf, 64, 0);
  pending = 1;
  pending = 0;
  settle(l);
  buf[0] = 1;
  settle(l);
  buf[0] = 2;
}
