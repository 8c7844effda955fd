// Two threads own a block; who comes last frees it, though its request may be out.
#include "grid.h"
#include <atomic>
#include <thread>
struct block {
  std::atomic<int> owners{2};
  char data[64];
};
static void drop(block *b) {
  if (b->owners.fetch_sub(1) == 1)
    delete b;
}
extern "C" void run(struct link *l) {
  block *b = new block;
  std::thread other([b] { drop(b); });
  put(l, b->data, 64, 0);
  drop(b);
  take(l->cq);
  other.join();
}
