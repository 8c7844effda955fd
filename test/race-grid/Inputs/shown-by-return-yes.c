// What a function hands out that others may call comes back as what the entry is given.
#include "grid.h"
static char page[64], spare[64];
char *lend(void) { return page; }

void run(struct link *l, char *given) {
  put(l, page, 64, 0);
  given[0] = spare[0];
  take(l->cq);
}
