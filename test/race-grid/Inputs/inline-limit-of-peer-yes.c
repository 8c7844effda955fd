// The server may lower the limit for inline data.
#define OWN_SERVER
#include "grid.h"

char inbox[4096];
static char page[64];
static uint32_t limit = 64, other = 64;

void run(struct link *l) {
  unsigned flags = IBV_SEND_SIGNALED;
  if (64 <= limit)
    flags |= IBV_SEND_INLINE;
  submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, flags);
  page[0] = 1;
  take(l->cq);
}

uint32_t limit_of_reader(void) { return limit + other; }

void serve(struct link *l) {
  static uint32_t lower = 32;
  put(l, &lower, sizeof lower, 0);
  take(l->cq);
}
