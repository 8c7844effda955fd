// A vector that grows gives the memory back that the NIC reads.
#include "grid.h"
#include <vector>
extern "C" void run(struct link *l) {
  std::vector<char> v(64);
  put(l, v.data(), 64, 0);
  v.reserve(1 << 20);
  take(l->cq);
}
