// Files that are not here may have called use_scratch with the buffer of the request.
// SET-UP: elsewhere
#include "grid.h"
char buf[64];
static char other[64];
static char *scratch = other;
void use_scratch(char *p) { scratch = p; }
void prepare(void) { use_scratch(other); }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1;
  take(l->cq);
}
