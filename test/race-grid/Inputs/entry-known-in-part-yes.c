// The length of an entry that a function returns is known but for some of its bits.
#include "grid.h"
static struct {
  char text[64];
  uint64_t next;
} box;
static struct ibv_sge entry(const void *from, uint32_t length, uint32_t lkey) {
  struct ibv_sge sge = {(uintptr_t)from, length, lkey};
  return sge;
}
void run(struct link *l, uint32_t more) {
  for (int i = 0; i < 4; i++) {
    struct ibv_sge sge = entry(box.text, 64 | (more & 8), l->lkey);
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &(struct ibv_sge){0}, IBV_WR_RDMA_WRITE, 0, 0, 0, IBV_SEND_SIGNALED);
    wr.sg_list = &sge;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
    box.next++;
    take(l->cq);
  }
}
