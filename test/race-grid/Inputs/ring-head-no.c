// The head of the ring is known: the slot of the first WRITE is changed, whose completion was taken.
#include "grid.h"
static struct {
  char slot[4][64];
  unsigned head;
} ring;
void run(struct link *l) {
  ring.head = 0;
  for (int i = 0; i < 2; ++i) {
    put(l, ring.slot[ring.head % 4], 64, 0);
    ring.head++;
    if (i == 0)
      take(l->cq);
  }
  ring.slot[0][0] = 1;
  take(l->cq);
}
