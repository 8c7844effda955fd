// The reference is to a number that has ended with the line.
#include "grid.h"
static uint64_t page[8];
static const int &larger(const int &a, const int &b) { return a < b ? b : a; }
extern "C" void run(link *l, int mode) {
  const int &wait = larger(mode, 1);
  put(l, page, 64, 0);
  if (wait)
    take(l->cq);
  page[0] = 1;
}
