// The flags with the fence are fetched over before the request has them.
#include "grid.h"
static int fence, plain = IBV_SEND_SIGNALED;
static uint64_t got, source;
void run(struct link *l) {
  fence = IBV_SEND_FENCE | IBV_SEND_SIGNALED;
  put(l, &plain, 4, 512);
  take(l->cq);
  fetch(l, &fence, 4, 512);
  take(l->cq);
  fetch(l, &got, 8, 0);
  submit(l, IBV_WR_RDMA_WRITE, &source, 8, 0, fence);
}
