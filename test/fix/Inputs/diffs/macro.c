/* A macro of the project stands around every call. */
#include "request.h"

#include <stdlib.h>

#define MUST(call)                                                                                                     \
  do {                                                                                                                 \
    if (call)                                                                                                          \
      abort();                                                                                                         \
  } while (0)

static uint64_t cell;

void store(struct ibv_qp *qp, struct ibv_mr *mr, uint64_t value, uint64_t remote, uint32_t rkey) {
  cell = value;
  MUST(post(qp, IBV_WR_RDMA_WRITE, &cell, sizeof cell, mr->lkey, remote, rkey));
  cell = ~value;
  MUST(post(qp, IBV_WR_RDMA_WRITE, &cell, sizeof cell, mr->lkey, remote + 8, rkey));
}
