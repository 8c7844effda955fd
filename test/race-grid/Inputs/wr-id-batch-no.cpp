// CORRECTED TWIN OF: Completions, several at once, set a flag in the request that each names; the other
// request's data changes.
#include "grid.h"
struct Request {
  int Done = 0;
  char Data[64];
};
static void start(link *l, Request &r) {
  ibv_sge sge;
  ibv_send_wr wr, *bad;
  fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, r.Data, 64, 0, IBV_SEND_SIGNALED);
  wr.wr_id = reinterpret_cast<uintptr_t>(&r);
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
}
static void progress(link *l) {
  ibv_wc wc[4];
  int n = ibv_poll_cq(l->cq, 4, wc);
  for (int i = 0; i < n; ++i)
    reinterpret_cast<Request *>(wc[i].wr_id)->Done = 1;
}
extern "C" void run(link *l) {
  Request a, b;
  start(l, a);
  start(l, b);
  while (!a.Done)
    progress(l);
  a.Data[0] = 1;
  while (!b.Done)
    progress(l);
  b.Data[1] = 1;
}
