/* Each message goes out from a slot of a ring, which is filled again though nobody has waited for it. */
#include <rdma/order.h>

#include "fix.h"

enum { SLOTS = 4 };
static struct message ring[SLOTS];

int run(void) {
  struct setting s;
  struct connection self;
  struct ibv_wc wc;
  int lost = 0;
  struct ibv_mr *mr = begin_ring(&s, ring, sizeof ring);
  connect_to_self(&self, &s.dev, s.in);

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&ring[i % SLOTS], i + 1);
    if (post_write(self.qp, &self, mr, &ring[i % SLOTS], i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  for (uint64_t i = 0; i < MESSAGES; i++) {
    while (ibv_poll_cq(self.cq, 1, &wc) == 0)
      ;
    lost += wc.status != IBV_WC_SUCCESS || wc.wr_id != i;
  }
  rdma_flush(self.qp);
  lost += arrived(&self);
  ibv_dereg_mr(mr);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
