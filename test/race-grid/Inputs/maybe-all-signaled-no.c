// Whether every request leaves a completion is decided where the queue pair is created.
#include "grid.h"
static char a[64], b[64];
void run(struct ibv_pd *pd, struct ibv_context *device, int all, uint64_t far) {
  struct link l = {.cq = ibv_create_cq(device, 16, 0, 0, 0), .far = far};
  struct ibv_qp_init_attr few, every;
  memset(&few, 0, sizeof few);
  memset(&every, 0, sizeof every);
  few.send_cq = every.send_cq = few.recv_cq = every.recv_cq = l.cq;
  few.qp_type = every.qp_type = IBV_QPT_RC;
  every.sq_sig_all = 1;
  l.qp = ibv_create_qp(pd, &few);
  submit(&l, IBV_WR_RDMA_WRITE, a, 64, 0, 0);
  submit(&l, IBV_WR_RDMA_WRITE, b, 64, 64, IBV_SEND_SIGNALED);
  take(l.cq);
  b[0] = 1;
}
