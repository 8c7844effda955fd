// A function that is declared to have no effect changes another page.
#include "grid.h"
static uint64_t page, other;
__attribute__((const)) static int look(int n) {
  other = n;
  return n;
}
void run(struct link *l, int n) {
  put(l, &page, 8, 0);
  look(n);
  take(l->cq);
}
