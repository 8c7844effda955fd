// Others are given the struct that the pointer is in.
// SET-UP: elsewhere
#include "grid.h"
struct options {
  int count;
  char *scratch;
};
static char buf[64], spare[64];
static struct options options = {1, spare}, others = {1, spare};
struct options *all_options(void) { return &options; }
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  options.scratch[0] = 1;
  take(l->cq);
}
