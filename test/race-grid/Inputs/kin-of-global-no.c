// Nobody outside of this file knows the page.
#include "grid.h"
static char page[64];
void run(struct link *l, char *p) {
  put(l, page, 64, 0);
  p[0] = 1;
  take(l->cq);
}
