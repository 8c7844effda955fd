// Code outside the sources finds in a table what starts nothing.
#include "grid.h"
#include <pthread.h>
static uint64_t page;
static volatile int sent;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  sent = 1;
}
static int probe(int n) { return sent + n; }
struct driver {
  int (*probe)(int);
};
const struct driver driver = {probe};
