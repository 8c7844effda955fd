/* The statement that changes the buffer has no block of its own. */
#include "request.h"

static struct {
  uint32_t kind, length;
  char text[56];
} message;

int send_kind(struct ibv_qp *qp, struct ibv_mr *mr, int kind, uint64_t remote, uint32_t rkey) {
  if (post(qp, IBV_WR_RDMA_WRITE, &message, sizeof message, mr->lkey, remote, rkey))
    return -1;
  if (kind < 0)
    return 0;
  else if (kind > 7)
    message.kind = 7; /* the last kind there is */
  else
    message.kind = kind;
  return 0;
}
