// Buffers wait in a deque; the oldest is posted and changed.
#include "grid.h"
#include <deque>
static char pool[2][64];
extern "C" void run(struct link *l) {
  std::deque<char *> open;
  open.push_back(pool[0]);
  open.push_back(pool[1]);
  put(l, open.front(), 64, 0);
  take(l->cq);
  pool[0][0] = 1;
}
