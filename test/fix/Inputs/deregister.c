/* Each message is registered for itself, and deregistered before it is known to be read. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  struct ibv_wc wc;
  int lost = 0;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    struct ibv_mr *mr = ibv_reg_mr(s.dev.pd, &outbox, sizeof outbox, IBV_ACCESS_LOCAL_WRITE);
    if (post_write(self.qp, &self, mr, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    ibv_dereg_mr(mr);
    while (ibv_poll_cq(self.cq, 1, &wc) == 0)
      ;
    if (wc.status != IBV_WC_SUCCESS)
      return 3; /* the region was gone */
    lost += wc.wr_id != i;
  }
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
