// The distance is that back from the buffer, and is taken off.
#include "grid.h"
static char page[64], other[64];
static struct { intptr_t off; } self;
void run(struct link *l) {
  self.off = (intptr_t)&self - (intptr_t)page;
  put(l, page, 64, 0);
  *((char *)&self - self.off) = 1;
  take(l->cq);
}
