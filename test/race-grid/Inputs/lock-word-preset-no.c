// A lock word that is given back by a WRITE of what has never been written in this program, and begins with 0.
#define OWN_SERVER
#include "grid.h"
struct cell {
  uint64_t lock, count;
} cell;
static uint64_t word, count, free_again;
static void swap(struct link *l, uint64_t *was) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_ATOMIC_CMP_AND_SWP, was, 8, 0, IBV_SEND_SIGNALED);
  wr.wr.atomic.remote_addr = l->far;
  wr.wr.atomic.rkey = l->rkey;
  wr.wr.atomic.compare_add = 0;
  wr.wr.atomic.swap = 1;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
static void add(struct link *l) {
  do
    swap(l, &word);
  while (word != 0);
  fetch(l, &count, 8, 8);
  take(l->cq);
  count++;
  put(l, &count, 8, 8);
  put(l, &free_again, 8, 0);
  take(l->cq);
  take(l->cq);
}
void run(struct link *l) { add(l); }
void run_too(struct link *l) { add(l); }
void serve(void) {}
