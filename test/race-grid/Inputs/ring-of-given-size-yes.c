// A ring in memory of a size that is given: the index goes round one too early.
#include "grid.h"
struct ring {
  int size, next, out;
  char slot[32][64];
};
void run(struct link *l, int size, int n) {
  if (size < 1 || size > 32)
    return;
  static struct ring r;
  r.size = size;
  r.next = r.out = 0;
  for (int i = 0; i < n; i++) {
    if (r.out == r.size) {
      take(l->cq);
      r.out--;
    }
    r.slot[r.next][0] = i;
    put(l, r.slot[r.next], 64, 0);
    r.out++;
    r.next = r.next + 2 >= r.size ? 0 : r.next + 1;
  }
}
