// What says whether completions are waited for may be what is set in between, by its other name.
#include "grid.h"
static char page[64];
void run(struct link *l, int *patience, int *level) {
  *patience = 1;
  *level = 0;
  put(l, page, 64, 0);
  if (*patience)
    take(l->cq);
  page[0] = 1;
}
