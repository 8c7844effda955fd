// A class exchanges its two buffers when what was sent has been taken.
#include "grid.h"
#include <utility>
struct Double {
  char a[64], b[64];
  char *front = a, *back = b;
  void flip() { std::swap(front, back); }
};
extern "C" void run(struct link *l, int n) {
  Double d;
  for (int i = 0; i < n; i++) {
    memset(d.back, i, 64);
    if (i)
      take(l->cq);
    d.flip();
    put(l, d.front, 64, 0);
  }
  if (n > 0)
    take(l->cq);
}
