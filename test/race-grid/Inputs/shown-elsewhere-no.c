// Another file defines the array, and may give it to the entry, too.
#include "grid.h"
extern char area[64];
static char own[64];

void run(struct link *l, char *given) {
  put(l, own, 64, 0);
  given[0] = 1;
  take(l->cq);
}
