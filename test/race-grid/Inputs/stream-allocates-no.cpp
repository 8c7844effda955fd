// The stream takes memory from an allocator of the program, which counts in the page while it is sent.
#include "grid.h"
#include <sstream>
static char page[64];
template <class T> struct arena {
  using value_type = T;
  arena() = default;
  template <class U> arena(const arena<U> &) {}
  T *allocate(size_t n) {
    page[0]++;
    return static_cast<T *>(malloc(n * sizeof(T)));
  }
  void deallocate(T *p, size_t) { free(p); }
  bool operator==(const arena &) const { return true; }
};
using text = std::basic_ostringstream<char, std::char_traits<char>, std::allocator<char>>;
extern "C" void run(struct link *l) {
  text out;
  put(l, page, 64, 0);
  for (int i = 0; i < 20; ++i)
    out << i;
  take(l->cq);
}
