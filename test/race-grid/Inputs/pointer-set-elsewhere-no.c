// Only this file can call use_scratch.
// SET-UP: elsewhere
#include "grid.h"
char buf[64];
static char other[64];
static char *scratch = other;
static void use_scratch(char *p) { scratch = p; }
void prepare(void) { use_scratch(other); }
void run(struct link *l) {
  put(l, buf, 64, 0);
  scratch[0] = 1;
  take(l->cq);
}
