// A function that nobody calls changes what is sent.
#include "grid.h"
static char page[64];
void entered(void *function, void *from) {
  page[0] += function == from;
}
void run(struct link *l) {
  put(l, page, 64, 0);
  take(l->cq);
}
