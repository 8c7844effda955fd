// Others are given the struct on the heap that the pointer is in.
// SET-UP: elsewhere
#include "grid.h"
struct options {
  int count;
  char *scratch;
};
static char buf[64], spare[64];
static struct options *options, *others;
static struct options *made(void) {
  struct options *o = calloc(1, sizeof *o);
  if (!o)
    abort();
  o->scratch = spare;
  return o;
}
struct options *make(void) {
  options = made();
  others = made();
  return others;
}
char *lend(void) { return buf; }
void run(struct link *l) {
  put(l, buf, 64, 0);
  options->scratch[0] = 1;
  take(l->cq);
}
