// The region, of set-up code in another file, counts its bytes from zero: an address is a place in it.
// SET-UP: elsewhere
#include "grid.h"
char page[64];
static void put_from(struct link *l, uint64_t at) { put(l, (const void *)at, 8, 0); }
void run(struct link *l) {
  put_from(l, 16);
  page[16] = 1;
  take(l->cq);
}
