// The function of the table sets something else.
// SET-UP: elsewhere
#include "grid.h"
static char page[64];
static void wait_for(struct link *l) { take(l->cq); }
static void go_on(struct link *l) { (void)l; }
static void (*behind)(struct link *) = wait_for, (*other)(struct link *) = wait_for;
static void hurry(void) { other = go_on; }
struct calls {
  void (*hurry)(void);
};
static const struct calls ours = {hurry};
const struct calls *calls_of_pages(void) { return &ours; }
void run(struct link *l) {
  put(l, page, 64, 0);
  behind(l);
  page[0] = 1;
}
