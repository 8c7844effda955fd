// A std::any holds the address by which the source changes before the poll.
#include "grid.h"
#include <any>
static char buf[64];
extern "C" void run(struct link *l) {
  std::any a = static_cast<char *>(buf);
  put(l, buf, 64, 0);
  *std::any_cast<char *>(a) = 1;
  take(l->cq);
}
