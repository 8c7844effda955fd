// The context that an identifier is created with is the buffer that a request reads while another is changed through that.
#include "grid.h"
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
static char line[64], other[64];
static struct rdma_cm_id *reach(void) {
  struct ibv_qp_init_attr with = {.cap = {4, 4, 1, 1, 0}, .qp_type = IBV_QPT_RC, .sq_sig_all = 1};
  struct rdma_cm_id *made;
  if (rdma_create_id(rdma_create_event_channel(), &made, other, RDMA_PS_TCP) ||
      rdma_create_qp(made, 0, &with) || rdma_connect(made, 0))
    abort();
  return made;
}
void run(uint64_t far) {
  struct rdma_cm_id *id = reach();
  struct ibv_wc done;
  if (rdma_post_write(id, 0, line, 64, 0, 0, far, 0))
    abort();
  *(char *)id->context = 1;
  while (rdma_get_send_comp(id, &done) == 0)
    ;
}
