// All members of the options are set by the constructor.
#include "grid.h"
struct Options {
  explicit Options(int level) : waits(true), retries(0) {
    if (level > 3)
      retries = level;
  }
  bool waits;
  int retries;
};
static char page[64];
extern "C" void run(struct link *l, int level) {
  Options how(level);
  put(l, page, sizeof page, 0);
  if (how.waits)
    take(l->cq);
  page[0] = static_cast<char>(how.retries);
}
