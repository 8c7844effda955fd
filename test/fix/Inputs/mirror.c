/* Each message goes to two places, over two queue pairs. */
#include "fix.h"

static struct message copy[MESSAGES];

int run(void) {
  struct setting s;
  struct connection self, other;
  begin(&s, &outbox, inbox);
  struct ibv_mr *second = ibv_reg_mr(s.dev.pd, copy, sizeof copy, REMOTE_ACCESS);
  if (!second)
    die("ibv_reg_mr");
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, NULL, NULL, 0), 32);
  loop_back(&other, &s.dev, second, ibv_create_cq(s.dev.context, 64, NULL, NULL, 0), 32);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    if (post_write(other.qp, &other, s.out, &outbox, i, 0))
      die("WRITE");
  }
  for (uint64_t i = 0; i < MESSAGES; i++) {
    struct ibv_wc wc = take_one(self.cq);
    lost += wc.status != IBV_WC_SUCCESS || wc.wr_id != i;
  }
  lost += arrived(&self) + arrived(&other);
  int wrong = verdict(copy, lost);
  ibv_destroy_qp(other.qp);
  ibv_dereg_mr(second);
  int rest = finish(&s, &self, inbox, lost);
  return wrong ? wrong : rest;
}

int main(void) { return run(); }
