// A wait that has failed is told of only, and the page is used again.
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
#include <stdio.h>
static char page[64];
void run(struct link *l, int rounds) {
  for (int i = 0; i < rounds; i++) {
    page[0] = i;
    put(l, page, 64, 0);
    int failed = rdma_wait(l->qp);
    if (failed) {
      fprintf(stderr, "%d\n", failed);
    }
  }
}
