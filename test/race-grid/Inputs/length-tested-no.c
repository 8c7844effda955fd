// A request that is no longer than one word does not reach the second.
#include "grid.h"
static uint64_t words[4];
int run(struct link *l, uint32_t length) {
  if (length > sizeof(uint64_t))
    return -1;
  put(l, words, length, 0);
  words[1] = 1;
  take(l->cq);
  return 0;
}
