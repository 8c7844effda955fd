// The buffer changes its owner while the NIC reads it.
#include "grid.h"
#include <memory>
extern "C" void run(struct link *l) {
  auto a = std::make_unique<char[]>(64);
  put(l, a.get(), 64, 0);
  auto b = std::move(a);
  b[0] = 1;
  take(l->cq);
}
