/* Fills the buffers of a batch, and posts all of it as one list; few batches, so that no loop is left. */
#include <infiniband/verbs.h>
#include <string.h>

enum { BATCH = 4, BATCHES = 3 };

static uint64_t values[BATCH];

static int post_batch(struct ibv_qp *qp, uint32_t lkey, uint64_t remote, uint32_t rkey) {
  struct ibv_send_wr wrs[BATCH], *bad;
  struct ibv_sge entries[BATCH];
  memset(wrs, 0, sizeof wrs);
  for (int k = 0; k < BATCH; k++) {
    entries[k].addr = (uintptr_t)&values[k];
    entries[k].length = sizeof values[k];
    entries[k].lkey = lkey;
    wrs[k].sg_list = &entries[k];
    wrs[k].num_sge = 1;
    wrs[k].opcode = IBV_WR_RDMA_WRITE;
    wrs[k].wr.rdma.remote_addr = remote + k * sizeof values[k];
    wrs[k].wr.rdma.rkey = rkey;
    wrs[k].next = k == BATCH - 1 ? NULL : &wrs[k + 1];
  }
  return ibv_post_send(qp, wrs, &bad);
}

int send_batches(struct ibv_qp *qp, uint32_t lkey, uint64_t remote, uint32_t rkey) {
  for (int batch = 0; batch < BATCHES; batch++) {
    for (int k = 0; k < BATCH; k++)
      values[k] = batch * BATCH + k;
    if (post_batch(qp, lkey, remote + batch * sizeof values, rkey))
      return -1;
  }
  return 0;
}
