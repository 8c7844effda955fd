// What is read from memory of the device lands where the NIC reads.
// REMARK: ibv_memcpy_from_dm
#include "grid.h"
static char buf[64];
void run(struct link *l, struct ibv_dm *dm) {
  put(l, buf, 64, 0);
  take(l->cq);
  ibv_memcpy_from_dm(buf, dm, 0, 64);
}
