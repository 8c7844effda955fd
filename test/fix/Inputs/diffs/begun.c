/* Flags that are set once, for both of the requests which are built behind that. */
#include <infiniband/verbs.h>
#include <stdint.h>

static char word[8];

int move_word(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey);
int move_word(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t from, uint64_t to, uint32_t rkey) {
  ibv_wr_start(qpx);
  qpx->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_read(qpx, rkey, from);
  ibv_wr_set_sge(qpx, lkey, (uintptr_t)word, sizeof word);
  ibv_wr_rdma_write(qpx, rkey, to);
  ibv_wr_set_sge(qpx, lkey, (uintptr_t)word, sizeof word);
  return ibv_wr_complete(qpx);
}
