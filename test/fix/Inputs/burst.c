/* Bursts of messages, each from a slot of its own; nobody waits for a burst before the next one fills the slots. */
#include <rdma/order.h>

#include "fix.h"

enum { SLOTS = 6 };
static struct message ring[SLOTS];

int run(void) {
  struct setting s;
  struct connection self;
  struct ibv_wc wc;
  int lost = 0;
  struct ibv_mr *mr = begin_ring(&s, ring, sizeof ring);
  connect_to_self(&self, &s.dev, s.in);

  for (uint64_t burst = 0; burst < MESSAGES / SLOTS; burst++)
    for (uint64_t i = 0; i < SLOTS; i++) {
      fill(&ring[i], burst * SLOTS + i + 1);
      if (post_write(self.qp, &self, mr, &ring[i], burst * SLOTS + i, IBV_SEND_SIGNALED))
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
