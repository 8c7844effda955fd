// What the call returns is no memory of the program, and a request may not use it.
#include "frame.h"
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
#ifdef BESIDE
  put(l, buf, 8, 0);
  *(volatile char *)(CALL) = 1;
#else
  put(l, (const volatile void *)(CALL), 8, 0);
#endif
  take(l->cq);
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
