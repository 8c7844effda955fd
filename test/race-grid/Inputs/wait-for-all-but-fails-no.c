// CORRECTED TWIN OF: A wait for all but the last three that has failed says of none that it is complete.
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
#include <stdio.h>
static char ring[4][64];
void run(struct link *l, int rounds) {
  for (int i = 0; i < rounds; i++) {
    ring[i & 3][0] = i;
    put(l, ring[i & 3], 64, 0);
    int failed = rdma_wait_all_but(l->qp, 3);
    if (failed) {
      fprintf(stderr, "%d\n", failed);
      return;
    }
  }
}
