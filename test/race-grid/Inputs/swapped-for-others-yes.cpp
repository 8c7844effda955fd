// The handle is exchanged for one that the caller has brought, and that thread is joined.
#include "grid.h"
#include <thread>
#include <utility>
static char page[64];
extern "C" void run(struct link *l, std::thread *theirs) {
  put(l, page, 64, 0);
  std::thread mine([l] { take(l->cq); });
  std::swap(mine, *theirs);
  mine.join();
  page[0] = 1;
  theirs->join();
}
