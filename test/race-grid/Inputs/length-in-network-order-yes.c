// How much is sent stands in what is sent, in the order of the network; the last of it changes.
#include "grid.h"
static struct {
  uint32_t length;
  char text[60], end[8];
} m;
void run(struct link *l) {
  m.length = __builtin_bswap32(64);
  put(l, &m, 4 + __builtin_bswap32(m.length), 0);
  m.end[0] = 1;
  take(l->cq);
}
