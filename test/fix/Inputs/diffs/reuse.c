/* A line is written into the same buffer again while the first is still being sent. */
#include <stdio.h>

#include "request.h"

static char line[128];

int send_lines(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  snprintf(line, sizeof line, "begin");
  if (post(qp, IBV_WR_RDMA_WRITE, line, sizeof line, mr->lkey, remote, rkey))
    return -1;

  snprintf(line, sizeof line, "end");
  return post(qp, IBV_WR_RDMA_WRITE, line, sizeof line, mr->lkey, remote + sizeof line, rkey);
}
