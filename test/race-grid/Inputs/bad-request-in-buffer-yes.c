// A post that fails reports the bad request in memory that the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <stdlib.h>
static struct {
  struct ibv_send_wr *bad;
  char b[56];
} reg;
void run(struct link *l) {
  struct ibv_send_wr wr;
  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.wr.rdma.remote_addr = l->far + 512;
  put(l, &reg, 64, 0);
  ibv_post_send(l->qp, &wr, &reg.bad);
  take(l->cq);
}
