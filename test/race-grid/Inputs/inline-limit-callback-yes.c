// A function that only a library may call lowers the limit for inline data.
#include "grid.h"
#include <signal.h>

static char page[64];
static uint32_t limit = 64;

static void on_signal(int number) {
  (void)number;
  limit = 32;
}

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
  signal(SIGUSR1, on_signal);
  run(&l);
  return 0;
}
