// The channel is given to code outside the sources, which may make a queue with it:
// the event may be of that one.
#include "grid.h"
static char page[64];
void watch(struct ibv_comp_channel *channel, struct ibv_pd *pd);
void run(struct link *l, struct ibv_pd *pd) {
  struct ibv_comp_channel *channel = ibv_create_comp_channel(pd->context);
  struct ibv_cq *queue;
  void *context;
  l->cq = ibv_create_cq(pd->context, 16, 0, channel, 0);
  struct ibv_qp_init_attr attr = {.send_cq = l->cq, .recv_cq = l->cq, .qp_type = IBV_QPT_RC};
  l->qp = ibv_create_qp(pd, &attr);
  watch(channel, pd);
  put(l, page, 64, 0);
  if (ibv_get_cq_event(channel, &queue, &context))
    abort();
  take(queue);
  page[0] = 1;
}
