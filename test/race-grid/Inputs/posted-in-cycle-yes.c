// A page is sent in a cycle that is entered in its middle, and written when it goes round.
#include "grid.h"
static uint64_t page;
void run(struct link *l, int n) {
  if (n % 2)
    goto middle;
top:
  n -= 2;
  page = n;
middle:
  put(l, &page, 8, 0);
  if (n > 5)
    goto top;
  take(l->cq);
}
