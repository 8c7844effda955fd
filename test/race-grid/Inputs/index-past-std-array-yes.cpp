// An index that is masked too wide leads past a std::array, into the member that is sent.
#include "grid.h"
#include <array>
static struct {
  std::array<char, 64> a, b;
} s;
extern "C" void run(struct link *l, unsigned n) {
  put(l, s.b.data(), 64, 0);
  s.a[n & 127] = 1;
  take(l->cq);
}
