// CORRECTED TWIN OF: A wait for two queue pairs that has failed for one is told of only, and the page is used again.
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
#include <stdio.h>
static char page[64];
void run(struct link *a, struct link *b, int rounds) {
  for (int i = 0; i < rounds; i++) {
    page[0] = i;
    put(a, page, 64, 0);
    put(b, page, 64, 64);
    int failed = rdma_wait_all(2, a->qp, b->qp);
    if (failed) {
      fprintf(stderr, "%d\n", failed);
      return;
    }
  }
}
