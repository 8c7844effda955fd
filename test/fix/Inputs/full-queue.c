/* Posts until the send queue is full, and only then takes completions. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, NULL, NULL, 0), 8);
  int lost = 0;
  uint64_t next = 0;

  for (int round = 0; round < 40; round++)
    for (uint64_t i = 0; i < MESSAGES; i++) {
      int error;
      fill(&outbox, i + 1);
      while ((error = post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED)) == ENOMEM) {
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
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
