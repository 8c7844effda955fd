// The calls make a request that uses buf.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  struct ibv_sge sge = {(uintptr_t)buf, 8, l->lkey};
  struct ibv_qp_ex *x = ibv_qp_to_qp_ex(l->qp);
  (void)sge;
  put(l, beside + 256, 8, 256);
  take(l->cq);
  ibv_wr_start(x);
  x->wr_flags = IBV_SEND_SIGNALED;
  CALL;
  ibv_wr_complete(x);
#ifdef BESIDE
  take(l->cq);
#endif
  buf[0] = 1;
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
