// A bit field is written with what stands beside it.
#include "grid.h"
static struct {
  unsigned ready : 1;
  unsigned rest : 31;
} head;
void run(struct link *l) {
  put(l, &head, 4, 0);
  head.ready = 1;
  take(l->cq);
}
