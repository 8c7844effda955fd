// An array of variable length ends when the NIC has read it.
#include "grid.h"
void run(struct link *l) {
  unsigned n = l->rkey;
  {
    char v[n + 64];
    memset(v, 0, n);
    put(l, v, 64, 0);
    take(l->cq);
  }
}
