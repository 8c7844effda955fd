// The strlen of the program says that another slot is written.
#include "grid.h"
static uint64_t slots[8];
size_t strlen(const char *text) { return text ? 1 : 0; }
void run(struct link *l) {
  put(l, &slots[3], 8, 0);
  slots[strlen("abc")] = 1;
  take(l->cq);
}
