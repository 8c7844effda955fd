// The strlen of the program, in another file, changes what is sent.
#include "grid.h"
uint64_t page, other;
void run(struct link *l) {
  put(l, &page, 8, 0);
  other += strlen("sent");
  take(l->cq);
}
