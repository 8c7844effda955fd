/* A READ, and a WRITE of what it brings, each begun by a helper. */
#include <infiniband/verbs.h>
#include <stdint.h>

static char page[4096];

static void bring(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t from, uint32_t rkey) {
  qpx->wr_id = 1;
  qpx->wr_flags = 0;
  ibv_wr_rdma_read(qpx, rkey, from);
  ibv_wr_set_sge(qpx, lkey, (uintptr_t)page, sizeof page);
}

static void send_on(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t to, uint32_t rkey) {
  qpx->wr_id = 2;
  qpx->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(qpx, rkey, to);
  ibv_wr_set_sge(qpx, lkey, (uintptr_t)page, sizeof page);
}

int move_page(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey);
int move_page(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey) {
  ibv_wr_start(qpx);
  bring(qpx, lkey, from, rkey);
  send_on(qpx, lkey, to, rkey);
  return ibv_wr_complete(qpx);
}
