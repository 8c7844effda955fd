/* Macros of the project fill the requests and stand around the calls. */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_NZ(x)                                                                                                      \
  do {                                                                                                                  \
    if (x) {                                                                                                            \
      fprintf(stderr, "error: " #x "\n");                                                                               \
      exit(1);                                                                                                          \
    }                                                                                                                   \
  } while (0)
#define FILL(wr, sge, what, from, c)                                                                                    \
  do {                                                                                                                  \
    memset(&(wr), 0, sizeof(wr));                                                                                       \
    (sge).addr = (uintptr_t)(from);                                                                                     \
    (sge).length = 64;                                                                                                  \
    (sge).lkey = (c)->mr->lkey;                                                                                         \
    (wr).opcode = (what);                                                                                               \
    (wr).send_flags = IBV_SEND_SIGNALED;                                                                                \
    (wr).sg_list = &(sge);                                                                                              \
    (wr).num_sge = 1;                                                                                                   \
    (wr).wr.rdma.remote_addr = (c)->remote;                                                                             \
    (wr).wr.rdma.rkey = (c)->rkey;                                                                                      \
  } while (0)

struct context {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  struct ibv_mr *mr;
  uint64_t remote;
  uint32_t rkey;
};
static char was[64], is[64];

static void complete(struct context *c) {
  struct ibv_wc wc;
  int count;
  do
    count = ibv_poll_cq(c->cq, 1, &wc);
  while (count == 0);
  TEST_NZ(count < 0 || wc.status != IBV_WC_SUCCESS);
}

void exchange(struct context *c, const char *text) {
  struct ibv_send_wr wr, *bad;
  struct ibv_sge sge;
  FILL(wr, sge, IBV_WR_RDMA_READ, was, c);
  TEST_NZ(ibv_post_send(c->qp, &wr, &bad));
  strncpy(is, text, sizeof is - 1);
  FILL(wr, sge, IBV_WR_RDMA_WRITE, is, c);
  TEST_NZ(ibv_post_send(c->qp, &wr, &bad));
  complete(c);
  complete(c);
  printf("instead of %s\n", was);
}
