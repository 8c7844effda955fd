// The three requests that a fold expression posts are waited for before a source changes.
#include "grid.h"
static char buf[4][64];
template <class... I> static void all(struct link *l, I... i) { (put(l, buf[i], 64, 64 * i), ...); }
extern "C" void run(struct link *l) {
  all(l, 0, 1, 2);
  take(l->cq);
  take(l->cq);
  take(l->cq);
  buf[2][0] = 1;
}
