// A block that set-up code hands out comes back as what the entry is given.
// SET-UP: elsewhere
#include "grid.h"
static char *page, *spare;
void init(void) {
  page = malloc(64);
  spare = malloc(64);
}
char *lend(void) { return page; }
void run(struct link *l, char *given) {
  put(l, page, 64, 0);
  given[0] = 1;
  take(l->cq);
}
