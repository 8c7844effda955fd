// A thread of its own sleeps until completions come, and takes all that there are, one after the other.
#include "fix.h"

#include <thread>

namespace {

class Completions {
public:
  Completions(ibv_comp_channel *channel, ibv_cq *cq) : channel_(channel), cq_(cq) {}

  void take() {
    std::uint64_t next = 0;
    while (next < MESSAGES) {
      ibv_cq *from;
      void *context;
      if (ibv_get_cq_event(channel_, &from, &context))
        die("ibv_get_cq_event");
      ibv_ack_cq_events(from, 1);
      if (ibv_req_notify_cq(cq_, 0))
        die("ibv_req_notify_cq");
      ibv_wc wc;
      while (ibv_poll_cq(cq_, 1, &wc) > 0)
        lost += wc.wr_id != next++;
    }
  }

  int lost = 0;

private:
  ibv_comp_channel *channel_;
  ibv_cq *cq_;
};

} // namespace

int run() {
  setting s;
  connection self;
  begin(&s, &outbox, inbox);
  ibv_comp_channel *channel = ibv_create_comp_channel(s.dev.context);
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, nullptr, channel, 0), 32);
  if (ibv_req_notify_cq(self.cq, 0))
    die("ibv_req_notify_cq");
  Completions completions(channel, self.cq);
  std::thread taker(&Completions::take, &completions);

  for (std::uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  taker.join();
  int lost = completions.lost + arrived(&self);
  close_connection(&self);
  ibv_destroy_comp_channel(channel);
  ibv_dereg_mr(s.out);
  ibv_dereg_mr(s.in);
  close_device(&s.dev);
  return verdict(inbox, lost);
}

int main() { return run(); }
