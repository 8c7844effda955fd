// Arguments choose kind, place and buffer of a request: only what a WRITE sends is read beside it.
#include "grid.h"
static char in[64], out[64];
static void go(struct link *l, int tag) {
  submit(l, tag == 1 ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ, tag == 1 ? out : in, 64, tag == 1 ? 0 : 64,
         IBV_SEND_SIGNALED);
}
char seen;
void run(struct link *l, int tag) {
  go(l, tag);
  seen = out[0];
  take(l->cq);
}
