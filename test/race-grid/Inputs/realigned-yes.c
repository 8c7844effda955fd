// The address is rounded inside the buffer.
#include "grid.h"
static char space[4096 + 64];
void run(struct link *l) {
  char *page = (char *)(((uintptr_t)space + 63) & ~(uintptr_t)63);
  put(l, page, 64, 0);
  space[70] = 1;
  take(l->cq);
}
