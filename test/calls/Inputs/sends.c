// The call says something to another node, which may see it before a WRITE whose completion was taken.
#include "frame.h"
#include <sys/socket.h>
volatile uint64_t seen;
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
#ifdef BESIDE
  CALL;
#endif
  put(l, beside, 8, 0);
  take(l->cq);
#ifndef BESIDE
  CALL;
#endif
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) {
  char token;
  if (recv(fd, &token, 1, 0) == 1)
    seen = inbox[0];
}
