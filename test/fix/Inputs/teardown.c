/* Takes everything down itself and looks whether that works, after an order that reads back. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);
  struct connection other;
  connect_to_self(&other, &s.dev, s.in);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    if (post_write(other.qp, &other, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(self.cq).wr_id != i;
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(other.cq).wr_id != i;
  lost += arrived(&self) + arrived(&other);
  if (ibv_destroy_qp(self.qp) || ibv_destroy_qp(other.qp) || ibv_destroy_cq(self.cq) || ibv_destroy_cq(other.cq) ||
      ibv_dereg_mr(s.out) || ibv_dereg_mr(s.in) || ibv_dealloc_pd(s.dev.pd) || ibv_close_device(s.dev.context)) {
    printf("LOST: something is still in use\n");
    return LOST;
  }
  return verdict(inbox, lost);
}

int main(void) { return run(); }
