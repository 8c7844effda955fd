// What a completion's wr_id leads to is an object whose counter the NIC may still be sending.
#include "grid.h"
struct token {
  uint64_t done;
  char more[56];
};
static token mine, other;
extern "C" void run(struct link *l) {
  struct ibv_sge sge = {(uintptr_t)&mine, sizeof mine, l->lkey};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = l->far;
  for (int i = 0; i < 2; i++) {
    wr.wr_id = (uintptr_t)&mine;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
  }
  for (int i = 0; i < 2; i++) {
    struct ibv_wc wc;
    while (ibv_poll_cq(l->cq, 1, &wc) == 0)
      ;
    reinterpret_cast<token *>(wc.wr_id)->done++;
  }
}
