#define OWN_SERVER
#include "grid.h"
extern char *current;
void get_pointer(struct link *l) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  sge.addr = (uintptr_t)&current;
  sge.length = 8;
  sge.lkey = l->lkey;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_READ;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = l->far + 64;
  wr.wr.rdma.rkey = l->rkey;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
