// The call tells nobody anything, and nobody can tell it anything.
#include "frame.h"
#include <sys/socket.h>
volatile uint64_t seen;
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  put(l, beside, 8, 0);
  take(l->cq);
  CALL;
}
ENTRY second(int fd, size_t n) { (void)fd, (void)n; }
ENTRY serve(int fd, size_t n) {
  char token;
  if (recv(fd, &token, 1, 0) == 1)
    seen = inbox[0];
}
