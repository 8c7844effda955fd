// The functions of the table set another pointer.
// SET-UP: elsewhere
#include "grid.h"
static char page[64], spare[64];
static char *target = spare, *last;
static void set(void) { last = page; }
static void reset(void) { last = spare; }
struct calls {
  void (*set)(void), (*reset)(void);
};
const struct calls calls_of_pages = {set, reset};
void run(struct link *l) {
  put(l, page, 64, 0);
  target[0] = 1;
  take(l->cq);
}
