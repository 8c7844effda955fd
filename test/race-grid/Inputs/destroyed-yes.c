// The queue pair that is gone is another one.
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_qp *other) {
  put(l, buf, 64, 0);
  ibv_destroy_qp(other);
  memset(buf, 1, 64);
}
