// What setter returns sets waits to 0, for whoever calls it before run begins.
// SET-UP: elsewhere
#include "grid.h"
#include <functional>
static char buf[64];
static int waits = 1;
std::function<void(int)> setter() {
  return [](int w) { waits = w; };
}

extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  std::function<void(int)> set = [](int w) { waits = w; };
  set(1);
}
