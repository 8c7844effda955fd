// A reference in an object is another name of the buffer.
#include "grid.h"
static char buf[64];
struct view {
  char (&bytes)[64];
};
extern "C" void run(struct link *l) {
  view v{buf};
  put(l, v.bytes, 64, 0);
  buf[1] = 1;
  take(l->cq);
}
