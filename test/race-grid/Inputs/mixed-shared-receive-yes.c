// The buffer is for messages of any queue pair.
#include "one-queue.h"
static inline void expect_any(struct end *e, void *near) {
  struct ibv_srq_init_attr a;
  memset(&a, 0, sizeof a);
  struct ibv_srq *any = ibv_create_srq(ibv_alloc_pd(device()), &a);
  struct ibv_sge sge = {(uintptr_t)near, 64, e->lkey};
  struct ibv_recv_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  ibv_post_srq_recv(any, &wr, &bad);
}
#define SENDS_ALSO expect_any(&e, other)
#define CLIENT_WAITS take(e.sent), take(e.sent)
#include "mixed-call.h"
