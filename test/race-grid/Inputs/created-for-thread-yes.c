// A thread posts to the queue pair that was created before its start, and polls a queue that this does not
// report to.
#include "grid.h"
#include <pthread.h>
static char page[64];
static struct link own;
static void *work(void *given) {
  struct link *l = given;
  for (int i = 0; i < 4; ++i) {
    page[0] = i;
    put(l, page, 64, 0);
    take(l->cq);
  }
  return 0;
}
void run(struct ibv_pd *pd) {
  own.cq = ibv_create_cq(pd->context, 16, 0, 0, 0);
  struct ibv_cq *reports_to = ibv_create_cq(pd->context, 16, 0, 0, 0);
  struct ibv_qp_init_attr attr = {.send_cq = reports_to, .recv_cq = own.cq, .qp_type = IBV_QPT_RC};
  own.qp = ibv_create_qp(pd, &attr);
  pthread_t thread;
  if (pthread_create(&thread, 0, work, &own))
    abort();
  pthread_join(thread, 0);
}
