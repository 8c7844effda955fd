/* Every request waited for where it is posted, and every WRITE flushed: what a program does whose author
 * trusts nothing. */
#include <rdma/order.h>

#undef ibv_post_send
static inline int post_and_wait(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
  int error = rdma_order_post_send(qp, wr, bad);
  if (error)
    return error;
  while (wr->next)
    wr = wr->next;
  return wr->opcode == IBV_WR_RDMA_READ ? rdma_wait(qp) : rdma_flush(qp);
}
#define ibv_post_send post_and_wait
