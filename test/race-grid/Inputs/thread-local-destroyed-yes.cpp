// The destructor of a thread_local object writes the buffer when the thread ends.
#include "grid.h"
static char buf[64];
struct Clear {
  char *at = nullptr;
  ~Clear() {
    if (at)
      at[0] = 0;
  }
};
thread_local Clear cleared;
void run(struct link *l) {
  cleared.at = buf;
  put(l, buf, 64, 0);
}
