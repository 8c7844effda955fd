// A static object changes the buffer at the end through a pointer, when its request is done.
// REMARK: is given to
#include "grid.h"
static char buf[64];
static char *last = buf;
namespace {
struct Closing {
  int at = 3;
  ~Closing() { last[at] = 1; }
} closing;
} // namespace
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  exit(0);
}
