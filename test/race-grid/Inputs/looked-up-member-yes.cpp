// What is called between the two looks puts another request in place of the first.
#include "grid.h"
#include <unordered_map>
static char quiet[64], loud[64];
static ibv_sge sge, more;
struct table {
  std::unordered_map<int, ibv_send_wr> open;
  struct link *l;
  int k;
  void change() {
    open.clear();
    fill(l, &open[k], &more, IBV_WR_RDMA_WRITE, loud, 64, 0, IBV_SEND_SIGNALED);
  }
  void step() {
    int key = k;
    struct ibv_send_wr *bad;
    struct ibv_send_wr wr;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, quiet, 64, 0, IBV_SEND_SIGNALED);
    open[key] = wr;
    change();
    if (ibv_post_send(l->qp, &open[key], &bad))
      abort();
    loud[0]++;
    take(l->cq);
  }
};
extern "C" void run(struct link *l, int k) {
  table t;
  t.l = l;
  t.k = k;
  t.step();
}
