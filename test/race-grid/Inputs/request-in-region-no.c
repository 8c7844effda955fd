// The request lies beside the memory that the server writes.
#define OWN_SERVER
#include "grid.h"
char inbox[64];
static struct ibv_send_wr request;
struct ibv_send_wr open;
static struct ibv_sge sge;
static uint32_t none;
void serve(struct link *m) {
  put(m, &none, 4, 32);
  take(m->cq);
}
static uint64_t got, source;
void run(struct link *l) {
  struct ibv_send_wr *bad;
  struct ibv_send_wr *wr = &request;
  fetch(l, &got, 8, 0);
  fill(l, wr, &sge, IBV_WR_RDMA_WRITE, &source, 8, 0, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
  if (ibv_post_send(l->qp, wr, &bad))
    abort();
}
