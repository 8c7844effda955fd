/* Each frame is drawn word by word into the next one of a ring, and goes out from there. */
#include "request.h"

enum { FRAMES = 4, WORDS = 512 };

struct frame {
  uint64_t words[WORDS];
};
static struct frame frames[FRAMES];

int show(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, int count, uint64_t remote, uint32_t rkey) {
  (void)cq;
  for (int i = 0; i < count; i++) {
    struct frame *f = &frames[i % FRAMES];
    for (unsigned w = 0; w < WORDS; w++)
      f->words[w] = (uint64_t)i << 32 | w;
    if (post(qp, IBV_WR_RDMA_WRITE, f, sizeof *f, lkey, remote, rkey))
      return -1;
  }
  return 0;
}
