// A server that accepts: what is asked for has a queue pair like the one that listens, where all requests leave one.
#include "grid.h"
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
static char line[64];
void run(struct rdma_addrinfo *where, uint64_t far) {
  struct ibv_qp_init_attr with = {.cap = {4, 4, 1, 1, 0}, .sq_sig_all = 1};
  struct rdma_cm_id *listens, *id;
  struct ibv_wc done;
  if (rdma_create_ep(&listens, where, 0, &with) || rdma_listen(listens, 0) ||
      rdma_get_request(listens, &id) || rdma_accept(id, 0))
    abort();
  if (rdma_post_write(id, 0, line, 64, 0, IBV_SEND_SIGNALED, far, 0) ||
      rdma_post_write(id, 0, line + 32, 32, 0, 0, far + 64, 0))
    abort();
  while (rdma_get_send_comp(id, &done) == 0)
    ;
  while (rdma_get_send_comp(id, &done) == 0)
    ;
  line[40] = 1;
}
