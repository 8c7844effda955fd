// Flags that ask for no optimisation define no __OPTIMIZE__.
#include "grid.h"
static char page[64];
void run(struct link *l) {
  put(l, page, 64, 0);
#ifdef __OPTIMIZE__
  take(l->cq);
#endif
  page[0] = 1;
}
