// memmove writes where the NIC reads.
#include "grid.h"
static char buf[64], fresh[64];
void run(struct link *l, size_t n) {
  put(l, buf, 64, 0);
  memmove(buf + 1, fresh, n);
  take(l->cq);
}
