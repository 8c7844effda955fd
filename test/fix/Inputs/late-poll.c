/* The program polls for each request, but only after the buffer was filled again. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  struct ibv_wc wc;
  int lost = 0;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);

  fill(&outbox, 1);
  for (uint64_t i = 0; i < MESSAGES; i++) {
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    fill(&outbox, i + 2);
    // one request, one completion
    while (ibv_poll_cq(self.cq, 1, &wc) == 0)
      ;
    lost += wc.status != IBV_WC_SUCCESS || wc.wr_id != i;
  }
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
