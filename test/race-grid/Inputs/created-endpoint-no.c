// An endpoint that the connection manager hands out: the line is written again when its request is complete.
#include "grid.h"
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
static struct rdma_cm_id *reach(void) {
  struct ibv_qp_init_attr with = {.cap = {4, 4, 1, 1, 0}, .sq_sig_all = 1};
  struct rdma_cm_id *made;
  if (rdma_create_ep(&made, 0, 0, &with) || rdma_connect(made, 0))
    abort();
  return made;
}
void run(uint64_t far) {
  struct rdma_cm_id *id = reach();
  struct ibv_wc done;
  char *line = malloc(64);
  struct ibv_mr *mr = rdma_reg_msgs(id, line, 64);
  for (int i = 0; i < 100; ++i) {
    memset(line, i, 64);
    if (rdma_post_write(id, 0, line, 64, mr, 0, far + 64 * i, 0))
      abort();
    while (rdma_get_send_comp(id, &done) == 0)
      ;
  }
}
