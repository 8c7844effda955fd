#include "request.h"

#include <stdlib.h>

static uint64_t head;

int publish(struct ibv_qp *qp, struct ibv_cq *cq, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  struct ibv_wc wc;

  head = 1;
  if (post(qp, IBV_WR_RDMA_WRITE, &head, sizeof head, mr->lkey, remote, rkey))
    return -1;
  head = 2;

  /* until it has been sent */
  while (ibv_poll_cq(cq, 1, &wc) == 0)
    ;
  if (wc.status != IBV_WC_SUCCESS)
    abort();
  return post(qp, IBV_WR_RDMA_WRITE, &head, sizeof head, mr->lkey, remote, rkey);
}
