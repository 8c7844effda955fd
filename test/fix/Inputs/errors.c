/* The last request fails on purpose, and the program looks at why: a key that is not one. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);
  struct connection wrong;
  connect_to_self(&wrong, &s.dev, s.in);
  wrong.rkey ^= 0x5a5a5a;
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  fill(&outbox, 0);
  if (post_write(wrong.qp, &wrong, s.out, &outbox, 77, IBV_SEND_SIGNALED))
    die("WRITE");
  fill(&outbox, 99);
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(self.cq).wr_id != i;
  struct ibv_wc wc = take_one(wrong.cq);
  lost += wc.wr_id != 77 || wc.status != IBV_WC_REM_ACCESS_ERR;
  lost += arrived(&self);
  close_connection(&wrong);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
