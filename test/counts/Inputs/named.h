// One signaled WRITE of eight bytes with this wr_id.
#include "post.h"

static inline void write_named(struct ibv_qp *qp, void *from, uint64_t id) {
  write_with_id(qp, from, 8, IBV_SEND_SIGNALED, id);
}
