// An exchange writes, whatever its order.
#include "grid.h"
static uint64_t buf[8];
void run(struct link *l) {
  put(l, buf, 64, 0);
  take(l->cq);
  __atomic_exchange_n(&buf[0], 1, __ATOMIC_RELAXED);
}
