// A destructor that runs when an exception passes changes the source before the poll.
#include "grid.h"
static char buf[64];
struct Guard {
  ~Guard() { buf[0] = 3; }
};
static volatile int odd;
static void maybe(struct link *l) {
  Guard g;
  if (odd)
    throw 1;
}
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  try {
    maybe(l);
  } catch (int) {
  }
  take(l->cq);
}
