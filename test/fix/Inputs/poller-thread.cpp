// Another thread takes the completions and counts them.
#include "fix.h"

#include <atomic>
#include <thread>

static std::atomic<uint64_t> completed{0};
static std::atomic<int> out_of_turn{0};

static void poller(ibv_cq *cq, uint64_t wanted) {
  uint64_t next = 0;
  while (next < wanted) {
    ibv_wc wc[4];
    int n = ibv_poll_cq(cq, 4, wc);
    for (int i = 0; i < n; ++i)
      out_of_turn += wc[i].status != IBV_WC_SUCCESS || wc[i].wr_id != next++;
    if (n > 0)
      completed += n;
    else
      std::this_thread::yield();
  }
}

int run() {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  connect_to_self(&self, &s.dev, s.in);
  std::thread t(poller, self.cq, MESSAGES);

  for (uint64_t i = 0; i < MESSAGES; ++i) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  while (completed < MESSAGES)
    std::this_thread::yield();
  t.join();
  int lost = out_of_turn;
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
