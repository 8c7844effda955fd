// REMARK: this assembly
// Assembly writes to what it is given.
#include "grid.h"
static uint64_t buf[8];
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  __asm__ volatile("movq $1, %0" : "=m"(buf[0]));
}
