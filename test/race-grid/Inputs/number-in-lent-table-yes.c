// Others find the address of the number in a table that they are given, and set it to 0 before run begins.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1;
struct option {
  const char *name;
  int *value;
};
static struct option options[] = {{"waits", &waits}, {0}};
struct option *all_options(void) { return options; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
