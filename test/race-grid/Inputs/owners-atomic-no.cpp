// Owners are counted by an atomic; the first goes while the request is out, and is not the last.
#include "grid.h"
#include <atomic>
struct block {
  std::atomic<int> owners{1};
  char data[64];
};
static void drop(block *b) {
  if (b->owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete b;
}
extern "C" void run(struct link *l) {
  block *b = new block;
  b->owners.fetch_add(1, std::memory_order_relaxed);
  put(l, b->data, 64, 0);
  drop(b);
  take(l->cq);
  drop(b);
}
