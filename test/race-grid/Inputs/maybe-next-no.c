// The READ that would push the WRITE into memory is in the list on one way only.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2], ready;
static uint64_t data = 7, pushed, got;
void serve(struct link *k) {
  fetch(k, &got, 8, 0);
  take(k->cq);
  if (got)
    got = inbox[0];
}
void run(struct link *l, int n) {
  struct ibv_sge sge[2];
  struct ibv_send_wr wr[2], *bad;
  memset(sge, 0, sizeof sge);
  memset(wr, 0, sizeof wr);
  sge[0].addr = (uintptr_t)&data;
  sge[1].addr = (uintptr_t)&pushed;
  for (int i = 0; i < 2; ++i) {
    sge[i].length = 8;
    wr[i].sg_list = &sge[i];
    wr[i].num_sge = 1;
    wr[i].wr.rdma.remote_addr = l->far + 8 * i;
  }
  wr[0].opcode = IBV_WR_RDMA_WRITE;
  wr[1].opcode = IBV_WR_RDMA_READ;
    wr[0].next = &wr[1];
  if (ibv_post_send(l->qp, wr, &bad))
    abort();
  submit(l, IBV_WR_RDMA_WRITE, 0, 0, 0, IBV_SEND_SIGNALED);
  take(l->cq);
  ready = 1;
}
