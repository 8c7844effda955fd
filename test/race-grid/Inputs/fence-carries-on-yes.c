// A fenced request waits for no READ that is posted behind it, and so nothing behind that does.
#include "grid.h"
static uint64_t here, more;
void run(struct link *l) {
  submit(l, IBV_WR_RDMA_WRITE, &more, 8, 128, IBV_SEND_FENCE | IBV_SEND_SIGNALED);
  fetch(l, &here, 8, 0);
  put(l, &here, 8, 64);
  take(l->cq);
  take(l->cq);
  take(l->cq);
}
