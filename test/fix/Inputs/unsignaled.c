/* Every fourth request has a completion, which stands for four. */
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
  int lost = 0, posted = 0, completed = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, out, &outbox, i, ++posted % 4 ? 0 : IBV_SEND_SIGNALED))
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
  close_connection(&self);
  ibv_dereg_mr(out);
  ibv_dereg_mr(in);
  close_device(&dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
