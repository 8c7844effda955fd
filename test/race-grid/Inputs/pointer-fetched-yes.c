// A local pointer is fetched back from the server, where another one was put.
#include "grid.h"
static char a[64], b[64];
void run(struct link *l) {
  char *p = a, *other = b;
  put(l, &other, 8, 512);
  take(l->cq);
  fetch(l, &p, 8, 512);
  take(l->cq);
  put(l, p, 64, 0);
  b[0] = 1;
  take(l->cq);
}
