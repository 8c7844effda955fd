// An exception that was kept leads to the source of the WRITE: its handler changes that before the poll.
#include "grid.h"
#include <exception>
static char buf[64];
struct Bad {
  char *where;
};
extern "C" void run(struct link *l) {
  std::exception_ptr kept = std::make_exception_ptr(Bad{buf + 1});
  put(l, buf, 64, 0);
  try {
    std::rethrow_exception(kept);
  } catch (const Bad &b) {
    *b.where = 2;
  }
  take(l->cq);
}
