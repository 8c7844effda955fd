/* Sleeps until the one completion comes that there is, and takes it for granted then: to be refused. */
#include "fix.h"

static int taken(struct ibv_cq *cq, struct ibv_comp_channel *channel) {
  struct ibv_cq *from;
  void *context;
  struct ibv_wc wc;
  if (ibv_get_cq_event(channel, &from, &context))
    die("ibv_get_cq_event");
  ibv_ack_cq_events(from, 1);
  return ibv_poll_cq(cq, 1, &wc) != 1 || wc.wr_id != MESSAGES - 1;
}

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  struct ibv_comp_channel *channel = ibv_create_comp_channel(s.dev.context);
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, NULL, channel, 0), 32);
  int lost = 0;

  if (ibv_req_notify_cq(self.cq, 0))
    die("ibv_req_notify_cq");
  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, i == MESSAGES - 1 ? IBV_SEND_SIGNALED : 0))
      die("WRITE");
  }
  lost += taken(self.cq, channel);
  lost += arrived(&self);
  close_connection(&self);
  ibv_destroy_comp_channel(channel);
  ibv_dereg_mr(s.out);
  ibv_dereg_mr(s.in);
  close_device(&s.dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
