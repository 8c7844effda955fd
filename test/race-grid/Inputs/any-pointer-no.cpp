// A std::any holds the address by which the source changes behind the poll.
#include "grid.h"
#include <any>
static char buf[64];
extern "C" void run(struct link *l) {
  std::any a = static_cast<char *>(buf);
  put(l, buf, 64, 0);
  take(l->cq);
  *std::any_cast<char *>(a) = 1;
}
