// How a queue is polled is still being delivered.
#include "grid.h"
static struct ibv_poll_cq_attr how;
void run(struct link *l) {
  struct ibv_cq_ex *queue = (struct ibv_cq_ex *)l->qp->recv_cq;
  fetch(l, &how, sizeof how, 0);
  if (ibv_start_poll(queue, &how) == 0)
    ibv_end_poll(queue);
  take(l->cq);
}
