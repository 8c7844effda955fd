// The destructor of a static object writes the buffer when the process ends.
#include "grid.h"
static char buf[64];
struct Clear {
  char *at;
  Clear(char *p) : at(p) {}
  ~Clear() { at[0] = 0; }
};
static Clear cleared(buf);
void run(struct link *l) {
  put(l, buf, 64, 0);
  exit(0);
}
