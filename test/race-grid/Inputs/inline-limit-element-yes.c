// One of the limits for inline data is lowered, by an index that is read.
#include "grid.h"
#include <stdio.h>

static char page[64];
static uint32_t limits[4] = {64, 64, 64, 64}, others[4];

void run(struct link *l) {
  unsigned flags = IBV_SEND_SIGNALED;
  if (64 <= limits[2])
    flags |= IBV_SEND_INLINE;
  submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, flags);
  page[0] = 1;
  take(l->cq);
}

int main(void) {
  unsigned which;
  struct link l;
  memset(&l, 0, sizeof l);
  if (scanf("%u", &which) != 1 || which > 3)
    return 1;
  limits[which] = 32;
  run(&l);
  return 0;
}
