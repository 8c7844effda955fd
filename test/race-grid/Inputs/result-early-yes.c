// The result of a fetch-and-add is read by an index before the poll.
#include "grid.h"
static uint64_t old[2];
void run(struct link *l) {
  struct ibv_sge sge = {.addr = (uintptr_t)&old[1], .length = 8, .lkey = l->lkey};
  struct ibv_send_wr wr = {.sg_list = &sge,
                           .num_sge = 1,
                           .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
                           .send_flags = IBV_SEND_SIGNALED},
                     *bad;
  wr.wr.atomic.remote_addr = l->far;
  wr.wr.atomic.compare_add = 1;
  wr.wr.atomic.rkey = l->rkey;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  uint64_t *p = old, v = 0;
  v = p[1];
  take(l->cq);
  if (v == 77)
    abort();
}
