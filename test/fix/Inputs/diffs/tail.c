/* A list that grows at its end: which request is which, only the array says. */
#include <infiniband/verbs.h>
#include <string.h>

static uint64_t word;

int pass_on(struct ibv_qp *qp, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge = {.addr = (uintptr_t)&word, .length = sizeof word};
  struct ibv_send_wr wrs[2], *first = NULL, **last = &first, *bad;
  memset(wrs, 0, sizeof wrs);
  for (int i = 0; i < 2; i++) {
    wrs[i].opcode = i == 0 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
    wrs[i].sg_list = &sge;
    wrs[i].num_sge = 1;
    wrs[i].wr.rdma.remote_addr = remote + (uint64_t)i * sizeof word;
    wrs[i].wr.rdma.rkey = rkey;
    *last = &wrs[i];
    last = &wrs[i].next;
  }
  return ibv_post_send(qp, first, &bad);
}
