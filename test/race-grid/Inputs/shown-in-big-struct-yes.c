// The same by a struct that is returned in memory of the caller's.
// SET-UP: elsewhere
#include "grid.h"
struct pages {
  char *first, *second, *third;
};
static char page[64], spare[64];
struct pages lend(void) { return (struct pages){spare, page, spare}; }
void run(struct link *l, char *given) {
  put(l, page, 64, 0);
  given[0] = 1;
  take(l->cq);
}
