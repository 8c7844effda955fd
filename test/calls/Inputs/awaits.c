// The call waits until the request of librdmacm has been done.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  rdma_post_write(id, 0, buf, 8, 0, IBV_SEND_SIGNALED, l->far, 1);
#ifdef BESIDE
  CALL;
#endif
  buf[0] = 1;
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
