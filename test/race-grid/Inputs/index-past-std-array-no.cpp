// An index is masked so that it stays in a std::array; the member behind it is sent.
#include "grid.h"
#include <array>
static struct {
  std::array<char, 64> a, b;
} s;
extern "C" void run(struct link *l, unsigned n) {
  put(l, s.b.data(), 64, 0);
  s.a[n & 63] = 1;
  take(l->cq);
}
