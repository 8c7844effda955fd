/* Blocks are read ahead into two buffers; each is used before its READ has been waited for. */
#include <infiniband/verbs.h>
#include <stdlib.h>

enum { BLOCKS = 12, WORDS = 16 };

static uint64_t buffers[2][WORDS], last[BLOCKS];
static struct ibv_qp *qp;
static struct ibv_cq *cq;
static struct ibv_mr *mr;

static void start(int block, uint64_t remote, uint32_t rkey) {
  struct ibv_sge sge = {.addr = (uintptr_t)buffers[block % 2], .length = sizeof buffers[0], .lkey = mr->lkey};
  struct ibv_send_wr wr = {.wr_id = block,
                           .opcode = IBV_WR_RDMA_READ,
                           .send_flags = IBV_SEND_SIGNALED,
                           .sg_list = &sge,
                           .num_sge = 1},
                     *bad;
  wr.wr.rdma.remote_addr = remote + block * sizeof buffers[0];
  wr.wr.rdma.rkey = rkey;
  if (ibv_post_send(qp, &wr, &bad))
    exit(1);
}

static void finish(void) {
  struct ibv_wc wc;
  int taken;
  while (!(taken = ibv_poll_cq(cq, 1, &wc)))
    ;
  if (taken < 0 || wc.status != IBV_WC_SUCCESS)
    exit(1);
}

void fetch(uint64_t remote, uint32_t rkey) {
  start(0, remote, rkey);
  for (int i = 0; i < BLOCKS; i++) {
    if (i + 1 < BLOCKS)
      start(i + 1, remote, rkey);
    last[i] = buffers[i % 2][WORDS - 1];
    finish();
  }
}
