/* A connection of librdmacm, which posts through its identifier. */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

static char greeting[32] = "hello";

int greet(struct rdma_cm_id *id, struct ibv_mr *mr, uint64_t remote, uint32_t rkey) {
  if (rdma_post_write(id, NULL, greeting, sizeof greeting, mr, IBV_SEND_SIGNALED, remote, rkey))
    return -1;
  greeting[0] = 'H';
  return 0;
}
