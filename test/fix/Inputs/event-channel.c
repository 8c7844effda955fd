/* Sleeps until a completion comes, and again where it finds none: one that comes for nobody changes nothing. */
#include "fix.h"

static int taken(struct ibv_cq *cq, struct ibv_comp_channel *channel, uint64_t count) {
  struct ibv_cq *from;
  void *context;
  struct ibv_wc wc;
  int lost = 0;
  for (uint64_t next = 0; next < count;) {
    if (ibv_req_notify_cq(cq, 0))
      die("ibv_req_notify_cq");
    int n = ibv_poll_cq(cq, 1, &wc);
    if (n > 0) {
      lost += wc.wr_id != next++;
      continue;
    }
    if (n < 0 || ibv_get_cq_event(channel, &from, &context))
      die("ibv_get_cq_event");
    ibv_ack_cq_events(from, 1);
  }
  return lost;
}

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  struct ibv_comp_channel *channel = ibv_create_comp_channel(s.dev.context);
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, NULL, channel, 0), 32);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  lost += taken(self.cq, channel, MESSAGES);
  lost += arrived(&self);
  close_connection(&self);
  ibv_destroy_comp_channel(channel);
  ibv_dereg_mr(s.out);
  ibv_dereg_mr(s.in);
  close_device(&s.dev);
  return verdict(inbox, lost);
}

int main(void) { return run(); }
