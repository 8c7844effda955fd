// Set-up code keeps the page where others find it, by a list that it builds.
#include "grid.h"
struct pool { char **pages; };
static char page[64], spare[64];
static char *list[2];
void prepare(struct pool *p) {
  list[0] = spare;
  list[1] = page;
  p->pages = list;
}

void run(struct link *l, char *given) {
  put(l, page, 64, 0);
  given[0] = 1;
  take(l->cq);
}
