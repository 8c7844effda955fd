// The object keeps what its constructor was given.
#include "grid.h"
static uint64_t page[8];
struct guard {
  const bool wait;
  link *l;
  guard(bool wait, link *l) : wait(wait), l(l) {}
  void end() {
    if (wait)
      take(l->cq);
  }
};
extern "C" void run(link *l) {
  guard g(true, l);
  put(l, page, 64, 0);
  g.end();
  page[0] = 1;
}
