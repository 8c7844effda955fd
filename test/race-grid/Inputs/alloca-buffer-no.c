// The buffer is on the stack, and its address is kept.
#include "grid.h"
#include <alloca.h>
static char *kept;
void run(struct link *l, unsigned n) {
  kept = alloca(n + 64);
  memset(kept, 0, 64);
  put(l, kept, 64, 0);
  take(l->cq);
  *kept = 1;
}
