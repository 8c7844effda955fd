// A byte of another variable is cleared.
#include "grid.h"

static char page[64];
static uint32_t limit = 64;
static uint32_t other = 64;

void run(struct link *l) {
  unsigned flags = IBV_SEND_SIGNALED;
  if (64 <= limit)
    flags |= IBV_SEND_INLINE;
  submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, flags);
  page[0] = 1;
  take(l->cq);
}

int main(void) {
  struct link l;
  memset(&l, 0, sizeof l);
  ((char *)&other)[0] = 0;
  run(&l);
  return 0;
}
