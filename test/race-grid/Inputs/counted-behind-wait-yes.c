// One completion is left when the READ behind a ring of requests is posted: the poll behind it finds that
// one.
#include "../../../runtime/include/rdma/order.h"
#define OWN_SERVER
#include "grid.h"
#include <unistd.h>
volatile uint64_t inbox[2];
uint64_t seen;
void serve(int from) {
  char told;
  if (read(from, &told, 1) == 1)
    seen = inbox[0];
}
static uint64_t ring[4], sink;
enum { rounds = 40 };
void run(struct link *l, int to) {
  struct ibv_sge sge;
  struct ibv_send_wr wr, *bad;
  struct ibv_wc wc[8];
  int posted = 0, done = 0;
  while (done + 1 < rounds) {
    while (posted < rounds && posted - done < 8) {
      ring[posted % 4] = posted;
      fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, &ring[posted % 4], 8, 0, IBV_SEND_SIGNALED);
      wr.wr_id = (uint64_t)posted;
      if (ibv_post_send(l->qp, &wr, &bad))
        abort();
      rdma_wait(l->qp);
      posted++;
    }
    int taken = ibv_poll_cq(l->cq, 8, wc);
    if (taken < 0)
      abort();
    for (int i = 0; i < taken; i++)
      if (wc[i].status != IBV_WC_SUCCESS || wc[i].wr_id != (uint64_t)(done + i))
        abort();
    done += taken;
  }
  fetch(l, &sink, 8, 0);
  take(l->cq);
  write(to, "", 1);
}
