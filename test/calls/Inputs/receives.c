// The call learns something from another node, whose WRITE may come later.
#include "frame.h"
#include <sys/socket.h>
volatile uint64_t seen;
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  put(l, beside, 8, 0);
  take(l->cq);
  send(fd, "x", 1, 0);
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) {
#ifdef BESIDE
  seen = inbox[0];
#endif
  CALL;
#ifndef BESIDE
  seen = inbox[0];
#endif
}
