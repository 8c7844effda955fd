// The entry is a function's result, whose length and key come back as one number; it covers the counter too.
#include "grid.h"
static struct {
  char text[64];
  uint64_t next;
} box;
static struct ibv_sge entry(const void *from, uint32_t length, uint32_t lkey) {
  struct ibv_sge sge = {(uintptr_t)from, length, lkey};
  return sge;
}
void run(struct link *l) {
  for (int i = 0; i < 4; i++) {
    struct ibv_sge sge = entry(box.text, 72, l->lkey);
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &(struct ibv_sge){0}, IBV_WR_RDMA_WRITE, 0, 0, 0, IBV_SEND_SIGNALED);
    wr.sg_list = &sge;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
    box.next++;
    take(l->cq);
  }
}
