// Another file finds the address of the pointer in a variable that it knows by name.
// SET-UP: elsewhere
#include "grid.h"
static uint64_t buf, spare;
static uint64_t *scratch = &spare;
static uint64_t **place = &scratch;
uint64_t *lend(void) { return &buf; }
void run(struct link *l) {
  put(l, &buf, 8, 0);
  *scratch = 1 + (place != 0);
  take(l->cq);
}
