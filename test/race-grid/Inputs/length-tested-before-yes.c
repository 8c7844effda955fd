// The length is that of the round before, which nobody has tested.
#include "grid.h"
static uint64_t words[4];
void run(struct link *l, const uint32_t *lengths, int n) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, words, 8, 0, IBV_SEND_SIGNALED);
  for (int i = 0; i < n; i++) {
    uint32_t length = lengths[i];
    if (length > sizeof(uint64_t))
      sge.length = length;
    if (length <= sizeof(uint64_t)) {
      if (ibv_post_send(l->qp, &wr, &bad))
        abort();
      words[1] = 1;
      take(l->cq);
    }
  }
}
