// What is called by itself only sets another pointer.
#include "grid.h"
static char page[64], spare[64];
static char *target = spare, *last;
void choose(int depth) {
  last = depth > 8 ? page : spare;
  if (depth > 0)
    choose(depth / 2);
}
void run(struct link *l) {
  put(l, page, 64, 0);
  target[0] = 1;
  take(l->cq);
}
