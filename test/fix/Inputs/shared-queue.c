/* Two queue pairs share one completion queue; completions are told apart by qp_num. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  struct connection other;
  struct ibv_cq *cq = ibv_create_cq(s.dev.context, 64, NULL, NULL, 0);
  loop_back(&self, &s.dev, s.in, cq, 32);
  loop_back(&other, &s.dev, s.in, cq, 32);
  int lost = 0, left[2] = {0, 0};

  for (uint64_t i = 0; i < MESSAGES; i += 2) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    fill(&outbox, i + 2);
    if (post_write(other.qp, &other, s.out, &outbox, i + 1, IBV_SEND_SIGNALED))
      die("WRITE");
    left[0]++;
    left[1]++;
  }
  while (left[0] + left[1]) {
    struct ibv_wc wc;
    int n = ibv_poll_cq(cq, 1, &wc);
    if (n < 0 || (n && wc.status != IBV_WC_SUCCESS))
      die("work request");
    if (n)
      left[wc.qp_num == other.qp->qp_num]--;
  }
  lost += left[0] || left[1];
  lost += arrived(&self) + arrived(&other);
  ibv_destroy_qp(other.qp);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
