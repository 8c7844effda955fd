// A variable that other files know by its name leads to another page than the one that is sent.
#include "grid.h"
static char page[64], spare[64];
char *shown[2] = {spare, spare};

void run(struct link *l, char *given) {
  put(l, page, 64, 0);
  given[0] = 1;
  take(l->cq);
}
