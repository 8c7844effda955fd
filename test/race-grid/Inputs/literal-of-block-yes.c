// A compound literal lives as long as its block.
#include "grid.h"
void run(struct link *l, int n) {
  if (n) {
    put(l, (char[64]){1, 2, 3}, 64, 0);
  }
  if (n)
    take(l->cq);
}
