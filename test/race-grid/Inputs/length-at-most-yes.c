// The request may be of sixteen bytes, two words; the second changes while it reads.
#include "grid.h"
static uint64_t words[4];
void run(struct link *l, uint32_t length) {
  put(l, words, length < 16 ? length : 16, 0);
  words[1] = 1;
  take(l->cq);
}
