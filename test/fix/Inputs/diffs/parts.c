/* The parts of a record go over two connections, the flag that tells of them over a third. */
#include "request.h"

uint64_t head, tail, flag; /* the reader's */
static uint64_t one = 1, value[2] = {7, 8};

int tell(struct ibv_qp *upper, struct ibv_qp *lower, struct ibv_qp *control, struct ibv_mr *mr, uint64_t head_at,
         uint64_t tail_at, uint64_t flag_at, uint32_t rkey) {
  if (post(upper, IBV_WR_RDMA_WRITE, &value[0], sizeof value[0], mr->lkey, head_at, rkey))
    return -1;
  if (post(lower, IBV_WR_RDMA_WRITE, &value[1], sizeof value[1], mr->lkey, tail_at, rkey))
    return -1;
  return post(control, IBV_WR_RDMA_WRITE, &one, sizeof one, mr->lkey, flag_at, rkey);
}

uint64_t look(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
    ;
  return __atomic_load_n(&head, __ATOMIC_RELAXED) + __atomic_load_n(&tail, __ATOMIC_RELAXED);
}
