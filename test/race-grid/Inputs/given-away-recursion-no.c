// What calls itself, and else only code outside the sources, starts nothing.
#include "grid.h"
#include <pthread.h>
static uint64_t page;
static volatile int sent;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  sent = 1;
}
int start(int n) { return n > 0 ? start(n - 2) : sent; }
