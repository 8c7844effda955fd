/* The slots of a ring that the caller has allocated are filled in turn, and the first one comes behind the
 * last one. */
#include "request.h"

#define SLOTS 8

struct slot {
  uint64_t number, square;
};

int count_up(struct ibv_qp *qp, struct ibv_cq *cq, struct slot *slots, uint32_t lkey, int count,
             uint64_t remote, uint32_t rkey) {
  int next = 0;
  (void)cq;
  for (int i = 0; i < count; i++) {
    struct slot *s = &slots[next];
    s->number = i;
    s->square = (uint64_t)i * i;
    if (post(qp, IBV_WR_RDMA_WRITE, s, sizeof *s, lkey, remote, rkey))
      return -1;
    if (++next == SLOTS)
      next = 0;
  }
  return 0;
}
