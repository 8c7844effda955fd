/* Completions are taken with ibv_start_poll, to which nothing can be given back: to be refused. */
#include "fix.h"

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  struct ibv_cq_init_attr_ex wanted = {.cqe = 64};
  struct ibv_cq_ex *cq = ibv_create_cq_ex(s.dev.context, &wanted);
  if (!cq)
    die("ibv_create_cq_ex");
  loop_back(&self, &s.dev, s.in, ibv_cq_ex_to_cq(cq), 32);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    if (post_write(self.qp, &self, s.out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
  }
  for (uint64_t i = 0; i < MESSAGES; i++) {
    struct ibv_poll_cq_attr attr = {0};
    while (ibv_start_poll(cq, &attr) == ENOENT)
      ;
    lost += cq->wr_id != i;
    ibv_end_poll(cq);
  }
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
