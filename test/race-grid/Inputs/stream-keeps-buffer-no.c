// What is printed goes into bytes that no request hangs on.
#include "grid.h"
#include <stdio.h>
static uint64_t value, other;
static char text[1024];
static int flags;
void run(struct link *l) {
  setvbuf(stdout, text, _IOFBF, sizeof text);
  flags = 0;
  printf("\2%c%c", 0, 0);
  submit(l, IBV_WR_RDMA_WRITE, &other, 8, 0, flags);
  put(l, &value, 8, 0);
  take(l->cq);
  value = 2;
}
