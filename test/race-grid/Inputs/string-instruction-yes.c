// Assembly writes to memory that it names in 'memory' only.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  put(l, buf, 64, 0);
  void *to = buf;
  size_t n = 64;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
  take(l->cq);
}
