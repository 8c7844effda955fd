// A function in a section of constructors lowers the limit for inline data.
#include "grid.h"

static char page[64];
static uint32_t limit = 64;

static void configure(void) { limit = 32; }
__attribute__((section(".init_array"), used)) static void (*const configured)(void) = configure;

void run(struct link *l) {
  unsigned flags = IBV_SEND_SIGNALED;
  if (64 <= limit)
    flags |= IBV_SEND_INLINE;
  submit(l, IBV_WR_RDMA_WRITE, page, 64, 0, flags);
  page[0] = 1;
  take(l->cq);
}
