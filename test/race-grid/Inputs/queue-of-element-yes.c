// Each queue pair of an array has a completion queue of its own; the one polled is another's.
#include "grid.h"
struct trunk {
  struct link rail[4];
};
static char page[64];
void run(struct trunk *t) {
  put(&t->rail[2], page, 64, 0);
  put(&t->rail[1], page, 64, 64);
  take(t->rail[1].cq);
  page[0] = 1;
  take(t->rail[2].cq);
}
