// CORRECTED TWIN OF: The first of two waits has failed, which is told of only, behind the second.
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
#include <stdio.h>
static char page[64];
void run(struct link *a, struct link *b, int rounds) {
  for (int i = 0; i < rounds; i++) {
    page[0] = i;
    put(a, page, 64, 0);
    put(b, page, 64, 64);
    int first = rdma_wait(a->qp), second = rdma_wait(b->qp);
    if (second)
      return;
    if (first)
      return;
  }
}
