#include "wire.h"
static uint64_t page[2] = {7, 1};
static void post(struct link *l, enum ibv_wr_opcode opcode, unsigned i) {
  struct ibv_sge sge = {.addr = (uintptr_t)&page[i], .length = 8};
  struct ibv_send_wr wr = {.opcode = opcode, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1},
                     *bad;
  wr.wr.rdma.remote_addr = l->far.address + 8 * i;
  if (ibv_post_send(l->qp, &wr, &bad))
    exit(1);
}
int main(void) {
  struct link to;
  struct ibv_wc wc;
  open_link(&to);
  exchange(&to, 3, page);
  post(&to, IBV_WR_RDMA_READ, 0);
  post(&to, IBV_WR_RDMA_WRITE, 1);
  for (int i = 0; i < 2; i++)
    while (ibv_poll_cq(to.cq, 1, &wc) == 0)
      ;
  return 0;
}
