// Main reads the limit for inline data through a pointer that it keeps.
#include "grid.h"

static char page[64];
static uint32_t limit = 64;

void run(struct link *l) {
  unsigned flags = IBV_SEND_SIGNALED;
  if (64 <= limit)
    flags |= IBV_SEND_INLINE;
  submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, flags);
  page[0] = 1;
  take(l->cq);
}

static void lower(uint32_t *which) {
  if (*which < 8)
    abort();
}

int main(void) {
  uint32_t *which = &limit;
  struct link l;
  memset(&l, 0, sizeof l);
  lower(which);
  run(&l);
  return 0;
}
