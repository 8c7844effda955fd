// One request more may be out than there are slots, a number that is given.
#include "grid.h"
static char slot[128][64];
void run(struct link *l, int depth, int n) {
  if (depth < 1 || depth > 128)
    return;
  int posted = 0, taken = 0;
  while (taken < n) {
    while (posted < n && posted - taken <= depth) {
      slot[posted % depth][0] = posted;
      put(l, slot[posted % depth], 64, 0);
      posted++;
    }
    take(l->cq);
    taken++;
  }
}
