// A pointer is fetched back from the server, but into another variable.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  char *p = a, *other = b;
  char *fetched = 0;
  put(l, &other, 8, 512);
  take(l->cq);
  fetch(l, &fetched, 8, 512);
  take(l->cq);
  put(l, p, 64, 0);
  b[0] = 1;
  take(l->cq);
}
