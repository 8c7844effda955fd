// Two queues tell of completions by one channel: the event may be of the other one.
#include "grid.h"
static char page[64], other[64];
static struct ibv_qp *make(struct ibv_pd *pd, struct ibv_cq *cq) {
  struct ibv_qp_init_attr attr = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC};
  struct ibv_qp *qp = ibv_create_qp(pd, &attr);
  if (!qp)
    abort();
  return qp;
}
void run(struct link *a, struct link *b, struct ibv_pd *pd) {
  struct ibv_comp_channel *channel = ibv_create_comp_channel(pd->context);
  struct ibv_cq *queue;
  void *context;
  a->cq = ibv_create_cq(pd->context, 16, 0, channel, 0);
  struct ibv_cq *second = ibv_create_cq(pd->context, 16, 0, channel, 0);
  a->qp = make(pd, a->cq);
  b->qp = make(pd, second);
  if (ibv_req_notify_cq(a->cq, 0))
    abort();
  put(a, page, 64, 0);
  put(b, other, 64, 64);
  if (ibv_get_cq_event(channel, &queue, &context))
    abort();
  take(queue);
  page[0] = 1;
}
