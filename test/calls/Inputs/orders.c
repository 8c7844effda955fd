// Two threads make the call on one object, and the one may wait for the other.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  put(l, beside, 8, 0);
#ifdef BESIDE
  take(l->cq);
#endif
  CALL;
#ifndef BESIDE
  take(l->cq);
#endif
}
ENTRY second(int fd, size_t n) {
  CALL;
  beside[0] = 1;
}
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
