// Clients try to take the lock by a remote compare and exchange, and give it back either way.
#define OWN_SERVER
#include "grid.h"
struct shared {
  uint64_t lock, balance;
};
struct shared bank;
void serve(void) {
}
static uint64_t got, zero, value;
void run(struct link *l, int64_t amount) {
  struct ibv_sge e;
  struct ibv_send_wr wr, *bad;
  do {
    fill(l, &wr, &e, IBV_WR_ATOMIC_CMP_AND_SWP, &got, 8, 0, IBV_SEND_SIGNALED);
    wr.wr.atomic.remote_addr = l->far;
    wr.wr.atomic.rkey = l->rkey;
    wr.wr.atomic.compare_add = 0;
    wr.wr.atomic.swap = 1;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
    take(l->cq);
  } while (0);
  fetch(l, &value, 8, 8);
  take(l->cq);
  value += amount;
  put(l, &value, 8, 8);
  put(l, &zero, 8, 0);
  take(l->cq);
  take(l->cq);
}
