// The array that is written is in front of the part that is sent, and the index is tested.
#include "grid.h"
struct msg { uint32_t length; char head[8], tail[8]; };

void run(struct link *l, struct msg *m, uint32_t i) {
  if (i >= sizeof m->head)
    return;
  put(l, m->tail + 16, 64, 0);
  m->head[i] = 1;
  take(l->cq);
}
