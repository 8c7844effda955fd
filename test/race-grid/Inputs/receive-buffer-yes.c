// A posted receive buffer is the NIC's until its completion.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct link {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
};
static char buf[64], copy;
void serve(void) {}
void run(struct link *l) {
  struct ibv_sge sge = {(uintptr_t)buf, 64, 0};
  struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
  if (ibv_post_recv(l->qp, &wr, &bad))
    abort();
  copy = buf[0];
}
