/* The last request fails on purpose, and the program looks at why: a key that is not one. */
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
  struct connection wrong;
  connect_to_self(&wrong, &dev, in);
  wrong.rkey ^= 0x5a5a5a;
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  fill(&outbox, 0);
  if (post_write(wrong.qp, &wrong, out, &outbox, 77, IBV_SEND_SIGNALED))
    die("WRITE");
  fill(&outbox, 99);
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(self.cq).wr_id != i;
  struct ibv_wc wc = take_one(wrong.cq);
  lost += wc.wr_id != 77 || wc.status != IBV_WC_REM_ACCESS_ERR;
  lost += arrived(&self);
  close_connection(&wrong);
  close_connection(&self);
  ibv_dereg_mr(out);
  ibv_dereg_mr(in);
  close_device(&dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
