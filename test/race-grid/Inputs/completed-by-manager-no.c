// The context of rdma_post_write comes back as wr_id, and leads to memory that no request uses.
#include "grid.h"
#include <rdma/rdma_verbs.h>
static char spare[64], first[64], second[64];
void run(struct rdma_cm_id *id, uint64_t far) {
  struct ibv_wc wc;
  if (rdma_post_write(id, spare, first, 64, 0, IBV_SEND_SIGNALED, far, 0) ||
      rdma_post_write(id, spare, second, 64, 0, IBV_SEND_SIGNALED, far + 64, 0))
    abort();
  while (ibv_poll_cq(id->send_cq, 1, &wc) == 0)
    ;
  *(char *)(uintptr_t)wc.wr_id = 1;
  take(id->send_cq);
}
