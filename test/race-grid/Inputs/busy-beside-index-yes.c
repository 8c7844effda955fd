// The marks of busy slots, and which slot is next, in one struct: the slot behind is filled, whose completion may be out.
#include "grid.h"
static struct link here;
enum { slots = 5 };
static struct {
  uint64_t busy[slots];
  uint64_t at;
} ring;
static uint64_t data[slots];
static void make_room(struct link *l) {
  struct ibv_wc done[4];
  int n = ibv_poll_cq(l->cq, 4, done);
  if (n < 0)
    abort();
  for (int k = 0; k < n; k++)
    ring.busy[done[k].wr_id] = 0;
}
int main(int argc, char **argv) {
  struct link *l = &here;
  for (uint64_t i = 0; i < strtoul(argv[argc - 1], NULL, 10); i++) {
    ring.at = i % slots;
    while (ring.busy[(ring.at + 1) % slots])
      make_room(l);
    data[ring.at] = i;
    ring.busy[ring.at] = 1;
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, &data[ring.at], 8, 0, IBV_SEND_SIGNALED);
    wr.wr_id = ring.at;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
  }
}
