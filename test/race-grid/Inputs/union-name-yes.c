// Two members of a union are one memory.
#include "grid.h"
static union {
  char bytes[64];
  uint64_t words[8];
} u;
void run(struct link *l) {
  put(l, u.bytes, 64, 0);
  u.words[3] = 1;
  take(l->cq);
}
