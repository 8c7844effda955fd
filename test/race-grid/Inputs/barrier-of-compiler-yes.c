// Assembler that is given the buffer may write it.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  put(l, page, 64, 0);
  __asm__ volatile("movb $1, (%0)" : : "r"(page) : "memory");
  take(l->cq);
}
