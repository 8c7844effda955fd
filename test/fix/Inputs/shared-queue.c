/* Two queue pairs share one completion queue; completions are told apart by qp_num. */
#include "fix.h"

int run(void) {
  struct device dev;
  struct connection self;
  open_device(&dev);
  struct ibv_mr *out = ibv_reg_mr(dev.pd, &outbox, sizeof outbox, OWN_ACCESS);
  struct ibv_mr *in = ibv_reg_mr(dev.pd, inbox, sizeof inbox, REMOTE_ACCESS);
  if (!out || !in)
    die("ibv_reg_mr");
  struct connection other;
  struct ibv_cq *cq = ibv_create_cq(dev.context, 64, NULL, NULL, 0);
  loop_back(&self, &dev, in, cq, 32);
  loop_back(&other, &dev, in, cq, 32);
  int lost = 0, left[2] = {0, 0};

  for (uint64_t i = 0; i < MESSAGES; i += 2) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    fill(&outbox, i + 2);
    if (post_write(other.qp, &other, out, &outbox, i + 1, IBV_SEND_SIGNALED))
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
  close_connection(&self);
  ibv_dereg_mr(out);
  ibv_dereg_mr(in);
  close_device(&dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
