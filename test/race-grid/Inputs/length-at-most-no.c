// The request is of eight bytes at most, one word; the second may change.
#include "grid.h"
static uint64_t words[4];
void run(struct link *l, uint32_t length) {
  put(l, words, length < 8 ? length : 8, 0);
  words[1] = 1;
  take(l->cq);
}
