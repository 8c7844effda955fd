// CORRECTED TWIN OF: Of two queue pairs, one is waited for twice.
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
#include <stdio.h>
static char page[64];
void run(struct link *a, struct link *b, int rounds) {
  for (int i = 0; i < rounds; i++) {
    page[0] = i;
    put(a, page, 64, 0);
    put(b, page, 64, 64);
    rdma_wait_all(2, a->qp, b->qp);
  }
}
