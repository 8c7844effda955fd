// Whoever gives the page may give the one that all files know.
#include "grid.h"
char page[64];
void run(struct link *l, char *p) {
  put(l, page, 64, 0);
  p[0] = 1;
  take(l->cq);
}
