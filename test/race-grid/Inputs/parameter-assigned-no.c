// A parameter is given the other one's value, when what it led to is complete.
#include "grid.h"
static uint64_t page, other;
void run(struct link *a, struct link *b) {
  put(a, &page, 8, 0);
  take(a->cq);
  put(b, &other, 8, 8);
  a = b;
  take(a->cq);
  page = 1;
}
