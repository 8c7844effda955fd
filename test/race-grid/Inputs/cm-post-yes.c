// The connection manager's header has calls that post, too.
#include "grid.h"
#include <rdma/rdma_verbs.h>
static char buf[64];
void run(struct rdma_cm_id *id, uint64_t far) {
  if (rdma_post_write(id, 0, buf, 64, 0, IBV_SEND_SIGNALED, far, 0))
    abort();
  buf[0] = 1;
  take(id->send_cq);
}
