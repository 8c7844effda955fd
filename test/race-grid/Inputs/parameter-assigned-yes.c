// A parameter is given the other one's value: what it then waits for is the other's completion.
#include "grid.h"
static uint64_t page, other;
void run(struct link *a, struct link *b) {
  put(a, &page, 8, 0);
  put(b, &other, 8, 8);
  a = b;
  take(a->cq);
  page = 1;
}
