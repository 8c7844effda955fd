// What the call is given may be used at any time later.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  CALL;
  put(l, UNDER_WAY, 8, 0);
  take(l->cq);
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
