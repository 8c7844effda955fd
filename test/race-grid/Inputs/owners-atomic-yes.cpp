// Owners are counted by an atomic; there is but one, who goes while the request is out.
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
  put(l, b->data, 64, 0);
  drop(b);
  take(l->cq);
}
