// A lock word that is taken by the number of its owner, which may be any.
// REMARK: puts into the lock word
#define OWN_SERVER
#include "grid.h"
struct cell {
  uint64_t lock, count;
} cell;
static uint64_t word, count, free_again;
static void swap(struct link *l, uint64_t me, uint64_t *was) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_ATOMIC_CMP_AND_SWP, was, 8, 0, IBV_SEND_SIGNALED);
  wr.wr.atomic.remote_addr = l->far;
  wr.wr.atomic.rkey = l->rkey;
  wr.wr.atomic.compare_add = 0;
  wr.wr.atomic.swap = me;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
static void add(struct link *l, uint64_t me) {
  do
    swap(l, me, &word);
  while (word != 0);
  fetch(l, &count, 8, 8);
  take(l->cq);
  count++;
  free_again = 0;
  put(l, &count, 8, 8);
  put(l, &free_again, 8, 0);
  take(l->cq);
  take(l->cq);
}
void run(struct link *l, uint64_t me) { add(l, me); }
void run_too(struct link *l, uint64_t me) { add(l, me); }
void serve(void) {}
