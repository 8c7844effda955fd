/* Every fourth request has a completion, which stands for four. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);
  int lost = 0, posted = 0, completed = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, ++posted % 4 ? 0 : IBV_SEND_SIGNALED))
      die("WRITE");
  }
  while (completed < posted) {
    struct ibv_wc wc;
    int n = ibv_poll_cq(self.cq, 1, &wc);
    if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
      die("work request");
    lost += n && wc.wr_id != (uint64_t)completed + 3;
    completed += n * 4;
  }
  lost += completed != posted;
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
