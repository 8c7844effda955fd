// What posts is a function of a header that comes before <rdma/order.h>: rdma_flush has nothing to read back.
#define OWN_SERVER
#include "grid.h"
#include "../../../runtime/include/rdma/order.h"
volatile uint64_t inbox[2];
uint64_t seen;
void serve(void) {
  if (inbox[1] == 1)
    seen = inbox[0];
}
static uint64_t data = 7, flag = 1;
void run(struct link *a, struct link *b) {
  put(a, &data, 8, 0);
  if (rdma_flush(a->qp))
    abort();
  put(b, &flag, 8, 8);
}
