// What is posted behind a fenced request starts behind it, and so behind the READ that it waits for.
#include "grid.h"
static uint64_t here, more;
void run(struct link *l) {
  fetch(l, &here, 8, 0);
  submit(l, IBV_WR_RDMA_WRITE, &more, 8, 128, IBV_SEND_FENCE | IBV_SEND_SIGNALED);
  put(l, &here, 8, 64);
  take(l->cq);
  take(l->cq);
  take(l->cq);
}
