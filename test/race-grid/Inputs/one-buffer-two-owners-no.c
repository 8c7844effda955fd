// Another entry of the node makes two pointers lead to the same memory.
#include "grid.h"
static struct { char *base; } pool;
static struct { char *buf; } slot;
void setup(void) {
  pool.base = malloc(4096);
  slot.buf = pool.base;
}
void run(struct link *l) {
  put(l, slot.buf, 64, 0);
  take(l->cq);
  pool.base[0] = 1;
}
