// Completions call a method of the request that they name; the wrong one is waited for.
#include "grid.h"
struct Request {
  char Data[64] = {};
  bool Done = false;
  virtual void complete() { Done = true; }
};
struct Client {
  link *L;
  void start(Request &r) {
    ibv_sge sge;
    ibv_send_wr wr, *bad;
    fill(L, &wr, &sge, IBV_WR_RDMA_WRITE, r.Data, 64, 0, IBV_SEND_SIGNALED);
    wr.wr_id = reinterpret_cast<uintptr_t>(&r);
    if (ibv_post_send(L->qp, &wr, &bad))
      abort();
  }
  void progress() {
    ibv_wc wc[4];
    int n = ibv_poll_cq(L->cq, 4, wc);
    for (int i = 0; i < n; ++i)
      reinterpret_cast<Request *>(wc[i].wr_id)->complete();
  }
};
extern "C" void run(link *l) {
  Client c{l};
  Request a, b;
  c.start(a);
  c.start(b);
  while (!a.Done)
    c.progress();
  a.Data[0] = 1;
  while (!a.Done)
    c.progress();
  b.Data[0] = 1;
}
