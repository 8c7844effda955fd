// The index of the slot that is written is fetched by a READ: it is not the one from before.
#include "grid.h"
static int k, one = 1;
static char slots[2][64];
void run(struct link *l) {
  k = 0;
  put(l, &one, 4, 512);
  take(l->cq);
  fetch(l, &k, 4, 512);
  take(l->cq);
  put(l, slots[1], 64, 64);
  slots[k][0] = 1;
  take(l->cq);
}
