/* Only some of the cases touch what is being sent. */
#include "request.h"

enum command { KEEP, CLEAR, COUNT };
static uint64_t state;

int apply(struct ibv_qp *qp, struct ibv_mr *mr, enum command what, uint64_t remote, uint32_t rkey) {
  if (post(qp, IBV_WR_RDMA_WRITE, &state, sizeof state, mr->lkey, remote, rkey))
    return -1;
  switch (what) {
  case KEEP:
    break;
  case CLEAR:
    state = 0;
    break;
  case COUNT:
    state++;
    break;
  }
  return 0;
}
