/* Requests made by ibv_wr_* calls; the completions are counted, and that there are no more. */
#include "fix.h"

static void post_built(struct ibv_qp *qp, const struct connection *to, struct ibv_mr *mr, uint64_t index) {
  struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp);
  ibv_wr_start(qpx);
  qpx->wr_id = index;
  qpx->wr_flags = IBV_SEND_SIGNALED;
  ibv_wr_rdma_write(qpx, to->rkey, to->remote_addr + index * sizeof(struct message));
  ibv_wr_set_sge(qpx, mr->lkey, (uintptr_t)&outbox, sizeof outbox);
  if (ibv_wr_complete(qpx))
    die("WRITE");
}

int run(void) {
  struct setting s;
  struct connection self;
  begin(&s, &outbox, inbox);
  loop_back(&self, &s.dev, s.in, ibv_create_cq(s.dev.context, 64, NULL, NULL, 0), 32);
  int lost = 0;

  for (uint64_t i = 0; i < MESSAGES; i++) {
    fill(&outbox, i + 1);
    post_built(self.qp, &self, s.out, i);
  }
  for (uint64_t i = 0; i < MESSAGES; i++)
    lost += take_one(self.cq).wr_id != i;
  lost += arrived(&self);
  return finish(&s, &self, inbox, lost);
}

int main(void) { return run(); }
