// One signaled WRITE of eight bytes with this wr_id.
#include "post.h"

static void write_named(struct ibv_qp *qp, void *from, uint64_t id) {
  struct ibv_sge part = {.addr = (uintptr_t)from, .length = 8};
  struct ibv_send_wr request, *bad;
  memset(&request, 0, sizeof request);
  request.wr_id = id;
  request.sg_list = &part;
  request.num_sge = 1;
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = IBV_SEND_SIGNALED;
  if (ibv_post_send(qp, &request, &bad))
    abort();
}
