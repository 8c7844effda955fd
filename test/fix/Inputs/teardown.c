/* Takes everything down itself and looks whether that works, after an order that reads back. */
#include "fix.h"

int run(void) {
  struct device dev;
  struct connection self;
  open_device(&dev);
  struct ibv_mr *out = ibv_reg_mr(dev.pd, &outbox, sizeof outbox, OWN_ACCESS);
  struct ibv_mr *in = ibv_reg_mr(dev.pd, inbox, sizeof inbox, REMOTE_ACCESS);
  if (!out || !in)
    die("ibv_reg_mr");
  connect_to_self(&self, &dev, in);
  struct connection other;
  connect_to_self(&other, &dev, in);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    if (post_write(other.qp, &other, out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(self.cq).wr_id != i;
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(other.cq).wr_id != i;
  lost += arrived(&self) + arrived(&other);
  if (ibv_destroy_qp(self.qp) || ibv_destroy_qp(other.qp) || ibv_destroy_cq(self.cq) || ibv_destroy_cq(other.cq) ||
      ibv_dereg_mr(out) || ibv_dereg_mr(in) || ibv_dealloc_pd(dev.pd) || ibv_close_device(dev.context)) {
    printf("LOST: something is still in use\n");
    return LOST;
  }
  return verdict(inbox, lost);
}

int main(void) { return run(); }
