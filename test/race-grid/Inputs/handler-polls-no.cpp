// Whether an exception is thrown or not, there is a poll before the source changes.
#include "grid.h"
#include <new>
static char buf[64];
static int *last;
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  try {
    last = new int[l->rkey];
    take(l->cq);
  } catch (const std::bad_alloc &) {
    take(l->cq);
  }
  buf[0] = 1;
}
