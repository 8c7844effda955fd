// The steps of a loop post by way of a map: what the first has sent inline, the second fetches into.
#include "grid.h"
#include <unordered_map>
static uint64_t counter;
static void step(struct link *l, int which) {
  auto post = [&](enum ibv_wr_opcode opcode, uint64_t offset, unsigned flags) {
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, opcode, &counter, 8, offset, flags);
    std::unordered_map<int, ibv_send_wr> open;
    open[3] = wr;
    if (ibv_post_send(l->qp, &open[3], &bad))
      abort();
  };
  switch (which) {
  case 0:
    post(IBV_WR_RDMA_WRITE, 0, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
    break;
  case 1:
    post(IBV_WR_RDMA_READ, 64, IBV_SEND_SIGNALED);
    break;
  }
}
extern "C" void run(struct link *l) {
  for (int i = 0; i < 2; ++i)
    step(l, i);
}
