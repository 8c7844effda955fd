// Others find the address of the pointer in a table that they are given.
// SET-UP: elsewhere
#include "grid.h"
struct option {
  const char *name;
  char **value;
};
static char buf[64], spare[64];
static char *scratch = spare, *other = spare;
static struct option options[] = {{"scratch", &other}, {0}};
struct option *all_options(void) { return options; }
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1 + (other != 0);
  take(l->cq);
}
