// Only this file has the instance of the template.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
template <class T> static void set_waits(T w) { waits = w; }
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  set_waits(1);
}
