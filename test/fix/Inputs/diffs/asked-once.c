/* The queue is asked once; it may have been empty. */
#include "request.h"

static uint64_t head;

int publish(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  struct ibv_wc wc;
  head = 1;
  if (post(qp, IBV_WR_RDMA_WRITE, &head, sizeof head, mr->lkey, remote, rkey))
    return -1;
  ibv_poll_cq(cq, 1, &wc);
  head = 2;
  return post(qp, IBV_WR_RDMA_WRITE, &head, sizeof head, mr->lkey, remote, rkey);
}
