/* Posts until the send queue is full, and only then takes completions. */
#include "fix.h"

int run(void) {
  struct device dev;
  struct connection self;
  open_device(&dev);
  struct ibv_mr *out = ibv_reg_mr(dev.pd, &outbox, sizeof outbox, OWN_ACCESS);
  struct ibv_mr *in = ibv_reg_mr(dev.pd, inbox, sizeof inbox, REMOTE_ACCESS);
  if (!out || !in)
    die("ibv_reg_mr");
  loop_back(&self, &dev, in, ibv_create_cq(dev.context, 64, NULL, NULL, 0), 8);
  int lost = 0;
  uint64_t next = 0;

  for (int round = 0; round < 40; round++)
    for (uint64_t i = 0; i < MESSAGES; i++) {
      int error;
      fill(&outbox, i + 1);
      while ((error = post_write(self.qp, &self, out, &outbox, i, IBV_SEND_SIGNALED)) == ENOMEM) {
        struct ibv_wc wc[8];
        int n = ibv_poll_cq(self.cq, 8, wc);
        for (int k = 0; k < n; k++)
          lost += wc[k].status != IBV_WC_SUCCESS || wc[k].wr_id != next++ % MESSAGES;
      }
      if (error)
        die("WRITE");
    }
  while (next < 40 * MESSAGES) {
    struct ibv_wc wc;
    if (ibv_poll_cq(self.cq, 1, &wc) == 1)
      lost += wc.status != IBV_WC_SUCCESS || wc.wr_id != next++ % MESSAGES;
  }
  lost += arrived(&self);
  close_connection(&self);
  ibv_dereg_mr(out);
  ibv_dereg_mr(in);
  close_device(&dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
