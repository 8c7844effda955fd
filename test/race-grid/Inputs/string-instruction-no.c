// Assembly writes to memory that it names in 'memory' only.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
}
