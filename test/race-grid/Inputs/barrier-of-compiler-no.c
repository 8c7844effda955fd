// Twin: an empty template is for the compiler only.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  put(l, page, 64, 0);
  __asm__ volatile("" : : "r"(page) : "memory");
  take(l->cq);
}
