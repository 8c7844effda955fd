// The CPU's stores before the call are seen by others before its loads behind it.
#include "frame.h"
static int mine, others, saw[2];
ENTRY run(struct link *l, struct rdma_cm_id *id, int fd, size_t n) {
  put(l, beside, 8, 0);
  take(l->cq);
  __atomic_store_n(&mine, 1, __ATOMIC_RELAXED);
#if defined BESIDE || defined BUFFERS
  CALL;
#endif
  saw[0] = __atomic_load_n(&others, __ATOMIC_RELAXED);
}
ENTRY second(int fd, size_t n) {
  __atomic_store_n(&others, 1, __ATOMIC_RELAXED);
  __sync_synchronize();
  saw[1] = __atomic_load_n(&mine, __ATOMIC_RELAXED);
}
ENTRY serve(int fd, size_t n) { (void)fd, (void)n; }
