// The function that takes the wait away stands in a table for others, and is of the type of the one that is
// called here.
// SET-UP: elsewhere
#include "grid.h"
static char page[64];
static void wait_for(struct link *l) { take(l->cq); }
static void go_on(struct link *l) { (void)l; }
static void (*behind)(struct link *) = wait_for, (*other)(struct link *) = wait_for;
static void hurry(struct link *l) {
  (void)l;
  behind = go_on;
}
struct calls {
  void (*hurry)(struct link *);
};
const struct calls ours = {hurry};
void run(struct link *l) {
  put(l, page, 64, 0);
  behind(l);
  page[0] = 1;
}
