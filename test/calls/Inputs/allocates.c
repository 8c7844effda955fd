// What the call returns is memory that nothing else points to.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
#ifdef BESIDE
  put(l, buf, 8, 0);
#endif
  volatile char *made = (volatile char *)(CALL);
#ifndef BESIDE
  put(l, made, 8, 0);
#endif
  *made = 1;
  take(l->cq);
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
