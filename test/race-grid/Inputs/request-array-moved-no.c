// The index is computed anew, but is the same.
#include "grid.h"
enum { window = 4 };
static char buf[window][64];
void run(struct link *l) {
  struct ibv_send_wr wr[window], *bad;
  struct ibv_sge sge[window];
  memset(wr, 0, sizeof wr);
  memset(sge, 0, sizeof sge);
  int n = rand(), out = 0;
  for (int i = 0; i < n; ++i) {
    int at = i % window;
    if (out == window) {
      take(l->cq);
      --out;
    }
    memset(buf[at], i, 64);
    sge[at].addr = (uintptr_t)buf[at];
    sge[at].length = 64;
    sge[at].lkey = l->lkey;
    wr[at].sg_list = &sge[at];
    wr[at].num_sge = 1;
    wr[at].opcode = IBV_WR_RDMA_WRITE;
    wr[at].send_flags = IBV_SEND_SIGNALED;
    wr[at].wr.rdma.remote_addr = l->far;
    wr[at].wr.rdma.rkey = l->rkey;
    at = i % window;
    if (ibv_post_send(l->qp, &wr[at], &bad))
      abort();
    ++out;
  }
}
