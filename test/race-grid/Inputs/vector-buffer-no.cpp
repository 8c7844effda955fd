// The buffer is the memory of a vector, reached by data() and by index.
#include "grid.h"
#include <vector>
extern "C" void run(struct link *l) {
  std::vector<char> v(64);
  put(l, v.data(), 64, 0);
  take(l->cq);
  v[0] = 1;
}
