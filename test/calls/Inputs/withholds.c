// What the call does is not followed, and said.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  put(l, beside, 8, 0);
  take(l->cq);
  CALL;
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
