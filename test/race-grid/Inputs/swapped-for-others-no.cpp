// The thread is joined by its own handle, whatever the caller has brought.
#include "grid.h"
#include <thread>
#include <utility>
static char page[64];
extern "C" void run(struct link *l, std::thread *theirs) {
  put(l, page, 64, 0);
  std::thread mine([l] { take(l->cq); });
  mine.join();
  page[0] = 1;
}
