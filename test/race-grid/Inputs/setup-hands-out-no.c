// The function that others find sets another pointer.
// SET-UP: elsewhere
#include "grid.h"
static char page[64], spare[64];
static char *target = spare, *last;
static void set(void) { last = page; }
struct calls {
  void (*set)(void);
};
void describe(struct calls *c) { c->set = set; }
void run(struct link *l) {
  put(l, page, 64, 0);
  target[0] = 1;
  take(l->cq);
}
