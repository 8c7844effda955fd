/* Registers the cell right before it reads into it, behind the call that connects. */
#include "request.h"

struct store {
  struct ibv_pd *pd;
  struct ibv_qp *qp;
  uint64_t remote;
  uint32_t rkey;
};

/* Not among these sources. */
void connect_store(struct store *to);

static uint64_t cell;

static int load(struct store *from, unsigned number) {
  struct ibv_mr *mr = ibv_reg_mr(from->pd, &cell, sizeof cell, IBV_ACCESS_LOCAL_WRITE);
  if (!mr)
    return -1;
  return post(from->qp, IBV_WR_RDMA_READ, &cell, sizeof cell, mr->lkey, from->remote + 8 * number,
              from->rkey);
}

int last(struct store *from, unsigned count, uint64_t *found) {
  connect_store(from);
  for (unsigned number = 0; number < count; number++)
    if (load(from, number))
      return -1;
  *found = cell;
  return 0;
}
