/* The data goes over one connection, the flag that tells of it over another. */
#include "request.h"

uint64_t data, flag; /* the reader's */
static uint64_t one = 1, value = 7;

int tell(struct ibv_qp *bulk, struct ibv_qp *control, struct ibv_mr *mr, uint64_t data_at, uint64_t flag_at, uint32_t rkey) {
  if (post(bulk, IBV_WR_RDMA_WRITE, &value, sizeof value, mr->lkey, data_at, rkey))
    return -1;
  return post(control, IBV_WR_RDMA_WRITE, &one, sizeof one, mr->lkey, flag_at, rkey);
}

uint64_t look(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
    ;
  return __atomic_load_n(&data, __ATOMIC_RELAXED);
}
