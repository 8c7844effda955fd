// The queue pair is gone, and what was posted to it.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_qp *other) {
  (void)other;
  put(l, buf, 64, 0);
  ibv_destroy_qp(l->qp);
  memset(buf, 1, 64);
}
