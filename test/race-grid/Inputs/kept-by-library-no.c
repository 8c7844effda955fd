// A function of the C library keeps the buffer and changes it later.
#include "grid.h"
#include <stdio.h>
static char buf[4096], other[4096];
void run(struct link *l) {
  setvbuf(stdout, other, _IOFBF, 4096);
  put(l, buf, 64, 0);
  printf("posted\n");
  take(l->cq);
}
