// CORRECTED TWIN OF: The number that an entry is given may be the address of a variable that other files know
// by its name.
// SET-UP: elsewhere
#include "grid.h"
char page[64];
void run(struct link *l, uint64_t at) {
  put(l, (const void *)at, 8, 0);
  take(l->cq);
  page[16] = 1;
}
