// The type of the queue pair is one of two; without acknowledgements a completion says less.
#include "grid.h"
static char buf[64];
static const enum ibv_qp_type types[] = {IBV_QPT_RC, IBV_QPT_UC};
void run(struct ibv_pd *pd, struct ibv_context *device, uint64_t far, unsigned choice) {
  struct link l = {.cq = ibv_create_cq(device, 16, 0, 0, 0), .far = far};
  struct ibv_qp_init_attr how = {.send_cq = l.cq, .recv_cq = l.cq, .qp_type = types[choice & 1]};
  l.qp = ibv_create_qp(pd, &how);
  put(&l, buf, 64, 0);
  take(l.cq);
  buf[0] = 1;
}
