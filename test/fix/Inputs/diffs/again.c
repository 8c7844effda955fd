/* A list that is built once; each round fills all of its buffers before the round before it has been waited for. */
#include <infiniband/verbs.h>
#include <stdlib.h>

enum { LENGTH = 4, ROUNDS = 8, WORDS = 8 };

static uint64_t buffers[LENGTH][WORDS];
static struct ibv_send_wr wrs[LENGTH];
static struct ibv_sge sges[LENGTH];

static void build(struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  for (int i = 0; i < LENGTH; i++) {
    sges[i].addr = (uintptr_t)buffers[i];
    sges[i].length = sizeof buffers[i];
    sges[i].lkey = mr->lkey;
    wrs[i].sg_list = &sges[i];
    wrs[i].num_sge = 1;
    wrs[i].opcode = IBV_WR_RDMA_WRITE;
    wrs[i].send_flags = i == LENGTH - 1 ? IBV_SEND_SIGNALED : 0;
    wrs[i].wr.rdma.remote_addr = remote + i * sizeof buffers[i];
    wrs[i].wr.rdma.rkey = rkey;
    wrs[i].next = i == LENGTH - 1 ? NULL : &wrs[i + 1];
  }
}

static void take(struct ibv_cq *cq) {
  struct ibv_wc wc;
  int taken;
  do
    taken = ibv_poll_cq(cq, 1, &wc);
  while (taken == 0);
  if (taken < 0 || wc.status != IBV_WC_SUCCESS)
    exit(1);
}

int run(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  struct ibv_send_wr *bad;
  build(mr, remote, rkey);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < LENGTH; i++)
      for (int w = 0; w < WORDS; w++)
        buffers[i][w] = round;
    if (round > 0)
      take(cq);
    if (ibv_post_send(qp, wrs, &bad))
      return -1;
  }
  take(cq);
  return 0;
}
