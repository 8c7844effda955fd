// What is thrown leads to the source, which the handler changes behind the poll.
#include "grid.h"
static char buf[64];
struct Bad {
  char *where;
};
[[noreturn]] static void fail() { throw Bad{buf + 1}; }
extern "C" void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  try {
    fail();
  } catch (const Bad &b) {
    *b.where = 2;
  }
}
