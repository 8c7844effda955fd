// A buffer posted to a shared receive queue is the NIC's.
// REMARK: ibv_post_srq_recv
// REMARK: nothing to say: what the entries run posts no RDMA operation
#include "grid.h"
static char buf[64], copy;
void run(struct link *l, struct ibv_srq *srq) {
  struct ibv_sge sge = {(uintptr_t)buf, 64, 0};
  struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
  copy = buf[0];
  if (ibv_post_srq_recv(srq, &wr, &bad))
    abort();
  (void)l;
}
