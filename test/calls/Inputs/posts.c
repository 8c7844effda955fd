// The call posts a request that uses buf.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  struct ibv_sge sge, *bad_sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, buf, 8, 0, IBV_SEND_SIGNALED);
  (void)bad_sge, (void)bad;
  put(l, beside + 256, 8, 256);
  take(l->cq);
  CALL;
  UNDER_WAY[0] = 1;
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
