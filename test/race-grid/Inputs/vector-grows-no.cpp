// A vector grows when the NIC has read its memory.
#include "grid.h"
#include <vector>
extern "C" void run(struct link *l) {
  std::vector<char> v(64);
  put(l, v.data(), 64, 0);
  take(l->cq);
  v.reserve(1 << 20);
}
