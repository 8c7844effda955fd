/* Waits for one request by its wr_id; what else turns up is noted for whoever waits for that. */
#include "fix.h"

static int done[MESSAGES];

static int await(struct ibv_cq *cq, uint64_t id) {
  struct ibv_wc wc;
  int twice = 0;
  while (!done[id]) {
    int n = ibv_poll_cq(cq, 1, &wc);
    if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
      die("work request");
    if (n)
      twice += done[wc.wr_id]++;
  }
  return twice;
}

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    if (i % 4 == 3)
      lost += await(self.cq, i - 3);
  }
  for (uint64_t i = MESSAGES; i > 0; i--)
    lost += await(self.cq, i - 1);
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
