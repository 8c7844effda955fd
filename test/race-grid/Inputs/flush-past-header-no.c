// What posts is a function of a header that comes behind <rdma/order.h>.
#define OWN_SERVER
#include "../../../runtime/include/rdma/order.h"
#include "grid.h"
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
