// The strlen of the program says which slot is written, and not the library's.
#include "grid.h"
static uint64_t slots[8];
size_t strlen(const char *text) { return text ? 1 : 0; }
void run(struct link *l) {
  put(l, &slots[1], 8, 0);
  slots[strlen("abc")] = 1;
  take(l->cq);
}
