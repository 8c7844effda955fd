// As many requests may be out as there are slots, which is given; the slot is the remainder by that.
#include "grid.h"
static char slot[128][64];
void run(struct link *l, int depth, int n) {
  if (depth < 1 || depth > 128)
    return;
  int posted = 0, taken = 0;
  while (taken < n) {
    while (posted < n && posted - taken < depth) {
      slot[posted % depth][0] = posted;
      put(l, slot[posted % depth], 64, 0);
      posted++;
    }
    take(l->cq);
    taken++;
  }
}
