// The server's CPU adds to a word that remote atomics count in.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
void serve(void) { __atomic_fetch_add(&inbox[0], 1, __ATOMIC_SEQ_CST); }
static uint64_t old;
void run(struct link *l) {
  struct ibv_sge sge = {(uintptr_t)&old, 8, 0};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.atomic.remote_addr = l->far;
  wr.wr.atomic.compare_add = 1;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
