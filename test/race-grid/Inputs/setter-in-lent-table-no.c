// Nobody else is given the table.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
static void set_waits(int w) { waits = w; }
struct hooks {
  void (*changed)(int);
};
static const struct hooks own = {set_waits};

void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
  own.changed(1);
}
