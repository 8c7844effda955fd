// Twin: it leads to another buffer.
#include "grid.h"
static char page[64], other[64];
static struct { intptr_t off; } self;
void run(struct link *l) {
  self.off = (intptr_t)&self - (intptr_t)other;
  put(l, page, 64, 0);
  *((char *)&self - self.off) = 1;
  take(l->cq);
}
