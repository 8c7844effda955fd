// What is under way is waited for where a flag says that there is something; the second time it says that there is not.
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
  settle(l);
  buf[0] = 1;
  settle(l);
  buf[0] = 2;
}
