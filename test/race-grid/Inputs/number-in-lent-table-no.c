// The table that others are given has the address of another number.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64];
static int waits = 1, spare;
struct option {
  const char *name;
  int *value;
};
static struct option options[] = {{"waits", &spare}, {0}};
struct option *all_options(void) { return options; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  if (waits)
    take(l->cq);
  buf[0] = 1;
}
