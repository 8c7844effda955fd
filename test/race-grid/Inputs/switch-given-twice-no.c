// Twin: it is the only pointer to it.
#include "grid.h"
static char page[64];
void run(struct link *l, int *restrict patience, int *level) {
  *patience = 1;
  *level = 0;
  put(l, page, 64, 0);
  if (*patience)
    take(l->cq);
  page[0] = 1;
}
