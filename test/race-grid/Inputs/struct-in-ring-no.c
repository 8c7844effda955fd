// A structure with the pointer goes into a ring by an unknown index and is read back.
#include "grid.h"
struct job {
  char *buf;
  int length;
  long more[4];
};
static struct job ring[64];
static char buf[64];
void run(struct link *l, unsigned n) {
  struct job j = {buf, 64};
  ring[n & 63] = j;
  put(l, ring[n & 63].buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
}
