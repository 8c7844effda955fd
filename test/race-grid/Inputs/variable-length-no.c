// An array whose length is known at run time only.
#include "grid.h"
void run(struct link *l, unsigned n) {
  char buf[n + 64];
  memset(buf, 0, 64);
  put(l, buf, 64, 0);
  take(l->cq);
  buf[n] = 1;
}
