// The queue pair is a reliable connection, whichever of two limits it has.
#include "grid.h"
static char buf[64];
static const uint32_t limits[] = {16, 64};
void run(struct ibv_pd *pd, struct ibv_context *device, uint64_t far, unsigned choice) {
  struct link l = {.cq = ibv_create_cq(device, 16, 0, 0, 0), .far = far};
  struct ibv_qp_init_attr how = {.send_cq = l.cq, .recv_cq = l.cq, .qp_type = IBV_QPT_RC};
  how.cap.max_send_wr = limits[choice & 1];
  l.qp = ibv_create_qp(pd, &how);
  put(&l, buf, 64, 0);
  take(l.cq);
  buf[0] = 1;
}
