// The calls make a request that has read buf when it is posted.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  struct ibv_data_buf data = {buf, 8};
  struct ibv_qp_ex *x = ibv_qp_to_qp_ex(l->qp);
  (void)data;
  put(l, beside + 256, 8, 256);
  take(l->cq);
#ifndef BESIDE
  fetch(l, buf, 8, 0);
#endif
  ibv_wr_start(x);
  x->wr_flags = IBV_SEND_SIGNALED;
  CALL;
  ibv_wr_complete(x);
#ifdef BESIDE
  buf[0] = 1;
#endif
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
