// One WRITE of `bytes` bytes at `from`, with a wr_id or 0; does not return when it cannot be posted.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void write_with_id(struct ibv_qp *qp, void *from, uint32_t bytes, unsigned flags, uint64_t id) {
  struct ibv_sge part = {.addr = (uintptr_t)from, .length = bytes};
  struct ibv_send_wr request, *bad;
  memset(&request, 0, sizeof request);
  request.wr_id = id;
  request.sg_list = &part;
  request.num_sge = 1;
  request.opcode = IBV_WR_RDMA_WRITE;
  request.send_flags = flags;
  if (ibv_post_send(qp, &request, &bad))
    abort();
}

static inline void write_from(struct ibv_qp *qp, void *from, uint32_t bytes, unsigned flags) {
  write_with_id(qp, from, bytes, flags, 0);
}
