// The call that waits for a completion has failed where its result is below zero.
#include "grid.h"
#include <rdma/rdma_verbs.h>
static char buf[64];
void run(struct rdma_cm_id *id, uint64_t far) {
  struct ibv_wc wc;
  if (rdma_post_write(id, 0, buf, 64, 0, IBV_SEND_SIGNALED, far, 0))
    abort();
  if (rdma_get_send_comp(id, &wc) < 0) {
    buf[0] = 1;
    return;
  }
  buf[0] = 2;
}
