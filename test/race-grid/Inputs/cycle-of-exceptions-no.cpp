// A cycle is entered by a call and by what is thrown; the page is written behind the completion.
#include "grid.h"
static uint64_t page;
int next(int n) {
  if (n % 3 == 0)
    throw n;
  return n - 1;
}
extern "C" void run(struct link *l, int n) {
  try {
    n = next(n);
    goto middle;
  } catch (int) {
    n--;
  }
top:
  page = n;
middle:
  put(l, &page, 8, 0);
  take(l->cq);
  if (n-- > 5)
    goto top;
}
