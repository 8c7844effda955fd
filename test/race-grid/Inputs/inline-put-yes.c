// Inline: the buffer is free at once, but only when the flag is there.
#include "grid.h"
static char buf[32];
void run(struct link *l, int n) {
  submit(l, IBV_WR_RDMA_WRITE, buf, 32, 0, IBV_SEND_SIGNALED | (n < 32 ? IBV_SEND_INLINE : 0));
  buf[0] = (char)n;
  take(l->cq);
}
